-- Closes a lane. What it still holds, which should be nothing, comes back at once as if it had died. Safe to repeat.
--
-- I5  another sleeper takes over what this lane may have been woken for, or would have come back for.
--
-- KEYS[1] held    KEYS[2] lanes    KEYS[3] sleepers
-- ARGV[1] lane    ARGV[2] wake channel, without the instance
-- reply   {'OK'}
--@include wake
--@include marks
--@include lane_entry
local held, lanes, sleepers, lane = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
redis.call('ZREM', sleepers, lane)
local memory = redis.call('HGET', held, OWN_FIELD .. lane)
if memory and not string.match(memory, HOLDS_NOTHING) then
  redis.call('ZADD', lanes, 'XX', CLOSED, lane)
else
  redis.call('HDEL', held, OWN_FIELD .. lane)
  redis.call('ZREM', lanes, lane)
end
wake(sleepers, ARGV[2])
return { 'OK' }
