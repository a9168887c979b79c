-- Renews the lease of a lane, and with it of all that the lane holds.
--
-- I4  never revives a dead lane. Safe to repeat.
-- I7  the first write deletes: on a full Redis no lease may run out for it.
--
-- KEYS[1] held    KEYS[2] lanes
-- ARGV[1] lane    ARGV[2] lease, ms
-- reply   {'OK'} or {'GONE'}
--@include clock
--@include rest
local held, lanes, lane = KEYS[1], KEYS[2], ARGV[1]
if not redis.call('ZSCORE', lanes, lane) then
  return { 'GONE' }
end
redis.call('ZREM', lanes, '') -- deletes nothing
redis.call('ZADD', lanes, 'XX', 'GT', now + tonumber(ARGV[2]), lane)
if redis.call('PTTL', lanes) >= 0 then
  rest(held, lanes)
end
return { 'OK' }
