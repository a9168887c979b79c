-- Opens a lane of a consumer, which holds nothing yet.
--
-- Safe to repeat (I3): an open lane stays as it is. A repetition that comes after the lane has died leaves an empty lane,
-- which dies by itself. A claim never opens its lane, so that one which arrives long after its time takes nothing.
--
-- KEYS[1] held    KEYS[2] lanes
-- ARGV[1] lane    ARGV[2] lease, ms
-- reply   {'OK'}
--@include clock
local held, lanes, lane, lease = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])
if redis.call('HSETNX', held, '@' .. lane, '0||') == 1 then
  redis.call('ZADD', lanes, now + lease, lane)
  if redis.call('HLEN', held) == redis.call('ZCARD', lanes) then
    redis.call('PEXPIRE', held, lease * 2)
    redis.call('PEXPIRE', lanes, lease * 2)
  end
end
return { 'OK' }
