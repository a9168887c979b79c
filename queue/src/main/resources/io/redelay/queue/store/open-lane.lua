-- Opens a lane of a consumer, which holds nothing yet.
-- One that follows on an earlier lane goes on with that one's numbers, so that no claim number comes twice for a message.
--
-- Safe to repeat (I3): an open lane stays as it is. A repetition that comes after the lane has died leaves an empty lane,
-- which dies by itself. A claim never opens its lane, so that one which arrives long after its time takes nothing.
-- I5  some sleeper comes back when this lane's lease may end, and so learns of it.
-- I7  the first write deletes: on a full Redis it is the consumers that make room.
--
-- KEYS[1] held    KEYS[2] lanes    KEYS[3] sleepers
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] wake channel, without the instance
-- ARGV[4] the number before that of its first request
-- reply   {'OK'}
--@include clock
--@include wake
--@include rest
--@include marks
--@include process
local held, lanes, sleepers, lane, deadline = KEYS[1], KEYS[2], KEYS[3], ARGV[1], now + tonumber(ARGV[2])
redis.call('ZREM', sleepers, '') -- deletes nothing
if redis.call('HSETNX', held, OWN_FIELD .. lane, ARGV[4] .. '|0|' .. UNCHECKED .. process_now() .. '||') == 1 then
  redis.call('ZADD', lanes, deadline, lane)
  rest(held, lanes)
  watch(deadline, sleepers, ARGV[3], now)
end
return { 'OK' }
