-- Renews the lease of a lane, and with it of all that the lane holds.
--
-- I4  never revives a dead lane. Safe to repeat.
--
-- KEYS[1] lanes
-- ARGV[1] lane    ARGV[2] lease, ms
-- reply   {'OK'} or {'GONE'}
--@include clock
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return { 'GONE' }
end
redis.call('ZADD', KEYS[1], 'XX', 'GT', now + tonumber(ARGV[2]), ARGV[1])
return { 'OK' }
