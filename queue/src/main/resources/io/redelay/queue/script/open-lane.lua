-- Opens a lane of a consumer, which holds nothing yet.
-- A lane that follows an earlier one continues its numbers, so that no claim number is used twice for a message.
--
-- Safe to repeat (I3): an open lane stays as it is. A repetition that arrives after the lane has died leaves an empty lane,
-- whose lease ends. A claim never opens its lane, so a claim that arrives long after its time takes nothing.
-- I5  some sleeper claims when this lane's lease may end, and so finds it.
-- I7  the first write deletes: on a full Redis it is the consumers that make room.
--
--@keys held lanes sleepers
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] wake channel, without the instance
-- ARGV[4] the number before that of its first request
-- reply   {'OK'}
--@include clock
--@include wake
--@include rest
--@include own_field
--@include process
local held, lanes, sleepers, lane, deadline = KEYS.held, KEYS.lanes, KEYS.sleepers, ARGV[1], now + tonumber(ARGV[2])
redis.call('ZREM', sleepers, '') -- deletes nothing
if redis.call('HSETNX', held, OWN_FIELD .. lane, ARGV[4] .. '|0|' .. UNCHECKED .. process_now() .. '||') == 1 then
  redis.call('ZADD', lanes, deadline, lane)
  rest(held, lanes)
  wake(sleepers, ARGV[3], now, deadline)
end
return { 'OK' }
