-- Checks whether a queue is empty, and for how long; or removes an empty one, check and deletion in one step. Safe to repeat.
--
-- The second check in succession that finds the queue empty, with no sender's lane opened since the first, deletes known. The time
-- of being empty counts from then on: without known a sender gets DELETED and has to create it again, so nothing is sent as long as
-- it is missing. A send or a consumer at the same moment leaves some key, so the queue is not removed; a later one finds no lane.
--
-- I6  a fixed number of keys.
-- I7  the first write deletes.
-- I11 all is checked before the first write.
--
--@keys known meta stats stats:day stats:month marks idle
--@keys-of delete
--@keys inlet
-- KEYS.idle    seen: it was empty; or since when known is missing, ms. Expires
-- ARGV[1] LOOK or FORGET    ARGV[2] for how long it has to be empty, ms    ARGV[3] for how long a check is remembered, ms
-- reply   {'USED'} if it is not empty, {'IDLE'} if it is, {'DUE'} if it is for as long as ARGV[2] says, {'FORGOTTEN'}
--@include clock
local known, meta, stats, idle = KEYS.known, KEYS.meta, KEYS.stats, KEYS.idle
-- Fields that meta may have although nothing was set for the queue.
local LEFT_OVER = { 'longest', 'sweep', 'back', 'bodiless', 'outbox', 'relay', 'relayed', 'keyed', 'work', 'seat', 'front' }

local function has_settings()
  local left_over = 0
  for _, value in ipairs(redis.call('HMGET', meta, unpack(LEFT_OVER))) do
    left_over = left_over + (value and 1 or 0)
  end
  local gate = redis.call('HGET', meta, 'gate')
  local till = gate and tonumber(string.match(gate, '^%d+'))
  if till and till <= now then
    left_over = left_over + 1
  end
  return redis.call('HLEN', meta) > left_over
end

local is_known, since = redis.call('EXISTS', known) == 1, redis.call('GET', idle)
local used = redis.call('EXISTS', unpack(KEYS, KEYS_AT.idle + 1)) > 0 or has_settings()
if ARGV[1] == 'FORGET' then
  if used or is_known then
    redis.call('DEL', idle)
    return { 'USED' }
  end
  redis.call('UNLINK', meta, stats, KEYS.stats_day, KEYS.stats_month, KEYS.marks, idle)
  return { 'FORGOTTEN' }
elseif not used and not is_known and tonumber(since) then
  local is_due = tonumber(since) + tonumber(ARGV[2]) <= now and redis.call('EXISTS', stats) == 0
  return { is_due and 'DUE' or 'IDLE' }
end
redis.call('DEL', idle)
if used then
  return { 'USED' }
elseif since == 'seen' then
  redis.call('DEL', known)
  redis.call('SET', idle, stamp, 'PX', ARGV[3])
else -- counts of listeners arrive in the meantime, while known is there
  redis.call('SET', idle, 'seen', 'PX', ARGV[3])
end
return { 'IDLE' }
