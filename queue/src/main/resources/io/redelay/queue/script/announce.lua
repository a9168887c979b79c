-- Writes the description of an instance, for some time, and adds the instance to the list; or removes both when it ends. Safe to
-- repeat.
--
-- I6  of other instances, only those that ended long ago are removed, at most 100 at a time.
-- I7  the first write deletes.
--
--@keys instance instances
-- KEYS.instances    zset of instances by the time until which they are believed; KEYS.instance is that of this one
-- ARGV[1] instance    ARGV[2] its description, JSON; '' if it ends    ARGV[3] for how long, ms
-- reply   {'OK'}
--@include clock
local ended = redis.call('ZRANGEBYSCORE', KEYS.instances, '-inf', stamp, 'LIMIT', 0, 100)
ended[#ended + 1] = ARGV[2] == '' and ARGV[1] or ''
redis.call('ZREM', KEYS.instances, unpack(ended))
if ARGV[2] == '' then
  redis.call('DEL', KEYS.instance)
  return { 'OK' }
end
redis.call('SET', KEYS.instance, ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS.instances, string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS.instances, ARGV[3])
return { 'OK' }
