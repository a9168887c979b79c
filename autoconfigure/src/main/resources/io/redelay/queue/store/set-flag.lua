-- Sets or removes a flag that all who use the queue heed. Safe to repeat.
--
-- I5  somebody is woken, for there may be something to do now.
-- I7  the first write deletes.
--
-- KEYS[1] meta    KEYS[2] sleepers
-- ARGV[1] flag: 'paused' nothing is claimed, 'closed' nothing is sent    ARGV[2] '1' to set it    ARGV[3] wake channel
-- reply   {'OK'}
--@include wake
local meta, sleepers = KEYS[1], KEYS[2]
redis.call('HDEL', meta, '') -- deletes nothing
if ARGV[2] == '1' then
  redis.call('HSET', meta, ARGV[1], '1')
else
  redis.call('HDEL', meta, ARGV[1])
  wake(sleepers, ARGV[3])
end
return { 'OK' }
