-- Shows chunks of packed messages; changes nothing. See includes/far.lua.
--
-- I6  shows a bounded number of them.
-- I8  reads no more than a number of bytes.
--
--@keys far far:chunks meta
-- ARGV[1] 'PACKED' to show them with their messages, 'SPANS' without
-- ARGV[2] byte limit, which the last one may exceed
-- ARGV[3] 'NAMED': ARGV[4..] are their numbers, at most 500; or 'ALL': the next ones by their earliest due times:
-- ARGV[4] how many at most, up to 250    ARGV[5] up to which due time, or '+inf', or 'NEAR': those that are to come near now
-- ARGV[6] the earliest due time of the last one that was shown, or ''    ARGV[7] its number, or ''
-- reply   {'OK', now, '1' if there are more or '0', how long before their time messages come near, ms, the number of the next chunk or ''
--          if nothing is packed, then four a chunk: number, earliest due time, how many messages it has, the latest due time and how
--          many it had with a blank between each two, or what stands in their place; the packed messages or ''}
--@include clock
local far, chunks, packed, left = KEYS.far, KEYS.far_chunks, ARGV[1] == 'PACKED', tonumber(ARGV[2])
local LEAD_MS = '1800000' -- if it is not known
local head = redis.call('HGET', KEYS.meta, 'far') or ''
local lead = string.match(head, '^%d+ %d+ %d+ %d+ (%d+)') or LEAD_MS
local reply = { 'OK', stamp, '0', lead, string.match(head, '^%d+ (%d+)') or '' }
local found = {}

-- A due time as a whole number, whatever stands there.
local function whole(due)
  return string.format('%.0f', math.floor(math.max(0, math.min(tonumber(due) or 0, 1e15))))
end

if ARGV[3] == 'NAMED' then
  for i = 4, #ARGV do
    found[2 * i - 7], found[2 * i - 6] = ARGV[i], redis.call('ZSCORE', far, ARGV[i]) or ''
  end
else
  local count, before = tonumber(ARGV[4]), 0
  if ARGV[6] ~= '' then
    local rank = whole(redis.call('ZSCORE', far, ARGV[7])) == ARGV[6] and redis.call('ZRANK', far, ARGV[7])
    before = rank and rank + 1 or redis.call('ZCOUNT', far, '-inf', '(' .. ARGV[6])
  end
  found = redis.call('ZRANGE', far, before, before + count, 'WITHSCORES') -- a LIMIT would walk to there
  local till = ARGV[5] == 'NEAR' and now + lead or tonumber(ARGV[5])
  while #found > 0 and tonumber(found[#found]) > till do
    found[#found], found[#found - 1] = nil, nil
  end
  if #found > 2 * count then
    reply[3] = '1'
    found[2 * count + 1], found[2 * count + 2] = nil, nil
  end
end
local fields = {}
for i = 1, #found, 2 do
  fields[#fields + 1] = 'n' .. found[i]
end
local counts = #fields > 0 and redis.call('HMGET', chunks, unpack(fields)) or {}
for i = 1, #found, 2 do
  if left <= 0 then
    reply[3] = '1'
    break
  end
  local n, number, due = #reply, found[i], found[i + 1]
  if due ~= '' then
    reply[n + 1], reply[n + 2] = number, whole(due)
    reply[n + 3] = counts[(i + 1) / 2] or ''
    reply[n + 4] = packed and redis.call('HGET', chunks, number) or ''
    left = left - #reply[n + 4]
  end
end
return reply
