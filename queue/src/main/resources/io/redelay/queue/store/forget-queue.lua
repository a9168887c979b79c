-- Looks whether a queue has nothing, and for how long; or forgets one that has nothing, look and deletion in one step. Safe to repeat.
--
-- The second look in succession that finds nothing, with no lane to send on that was opened since the first, takes known away. From
-- then on it is counted how long the queue has nothing: a sender is given DELETED without it, and has to make it anew, so nothing is
-- sent as long as it is missing. Of what a send or a consumer that comes at the same moment has left, some key is there, and the queue
-- is not forgotten; what comes later finds no lane.
--
-- I6  a fixed number of keys.
-- I7  the first write deletes.
-- I11 all is looked at before the first write.
--
-- KEYS[1] known    KEYS[2] meta    KEYS[3] stats
-- KEYS[4] idle     seen: it had nothing; or since when known is missing, ms. Expires
-- KEYS[5..] all other keys of the queue but those of senders, which expire
-- ARGV[1] LOOK or FORGET    ARGV[2] for how long it is to have had nothing, ms    ARGV[3] for how long a look is remembered, ms
-- reply   {'USED'} if it has something, {'IDLE'} if it has nothing, {'DUE'} if that is so for as long as wanted, {'FORGOTTEN'}
--@include clock
local known, meta, stats, idle = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
-- What meta may have of a queue that nobody has set anything of.
local LEFT_OVER = { 'longest', 'sweep', 'back', 'outbox', 'relay', 'relayed', 'keyed', 'work', 'seat', 'front' }

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
local used = redis.call('EXISTS', unpack(KEYS, 5)) > 0 or has_settings()
if ARGV[1] == 'FORGET' then
  if used or is_known then
    redis.call('DEL', idle)
    return { 'USED' }
  end
  redis.call('UNLINK', meta, stats, idle)
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
else -- what listeners have counted of it comes in the meantime, and finds it
  redis.call('SET', idle, 'seen', 'PX', ARGV[3])
end
return { 'IDLE' }
