-- Renews the lease of a lane, and with it of all that the lane holds.
--
-- I9  a lane whose last answered request is ahead of what is remembered learns that Redis went back in time.
-- I4  never revives a dead lane. Safe to repeat.
-- I7  the first write deletes: on a full Redis no lease may run out for it.
--
-- KEYS[1] held    KEYS[2] lanes    KEYS[3] shared:held, if the listener shares a limit with others; see includes/shared_limits.lua
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] number of its last request that was answered
-- reply   {'OK'}, {'GONE'} or {'BEHIND'}
--@include clock
--@include rest
--@include marks
local held, lanes, lane = KEYS[1], KEYS[2], ARGV[1]
if not redis.call('ZSCORE', lanes, lane) then
  return { 'GONE' }
end
local memory = redis.call('HGET', held, OWN_FIELD .. lane)
if not memory or tonumber(string.match(memory, '^%d+')) < tonumber(ARGV[3]) then
  return { 'BEHIND' }
end
redis.call('ZREM', lanes, '') -- deletes nothing
redis.call('ZADD', lanes, 'XX', 'GT', now + tonumber(ARGV[2]), lane)
if KEYS[3] then
  local n = string.match(redis.call('HGET', KEYS[3], held) or '', '^%d+ ')
  if n then
    redis.call('HSET', KEYS[3], held, n .. redis.call('ZRANGE', lanes, '-1', '-1', 'WITHSCORES')[2])
  end
end
if redis.call('PTTL', lanes) >= 0 then
  rest(held, lanes)
end
return { 'OK' }
