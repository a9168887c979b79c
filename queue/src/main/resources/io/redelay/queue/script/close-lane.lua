-- Closes a lane. Messages that it still holds (there should be none) are treated at once as if it had died. Safe to repeat.
--
-- I5  another sleeper is woken, in place of this lane, which may have been woken or would have claimed later.
--
--@keys held lanes sleepers
-- ARGV[1] lane    ARGV[2] wake channel, without the instance
-- reply   {'OK'}
--@include wake
--@include own_field
--@include held_count
local held, lanes, sleepers, lane = KEYS.held, KEYS.lanes, KEYS.sleepers, ARGV[1]
redis.call('ZREM', sleepers, lane)
local memory = redis.call('HGET', held, OWN_FIELD .. lane)
if memory and not string.match(memory, HOLDS_NOTHING) then
  redis.call('ZADD', lanes, 'XX', '0', lane) -- its lease is over
else
  redis.call('HDEL', held, OWN_FIELD .. lane)
  redis.call('ZREM', lanes, lane)
end
wake(sleepers, ARGV[2])
return { 'OK' }
