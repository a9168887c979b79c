-- Replaces the envelopes and the due times of scheduled messages by a chunk in which the client has packed both; see includes/far.lua.
-- It packs all of them or, if one has changed since the client read it, none.
--
-- I1  the messages are scheduled before and after it; a chunk is one move.
-- I3  safe to repeat: the messages are not where they were then. If it comes late, it packs none that would have to come near.
-- I6  as many messages as the caller names, at most 50 of this version. Buckets grow by as many as these need.
-- I7  the first write deletes, and the chunk is smaller than what it stands for.
-- I11 all is checked before the first write.
--
--@keys-of far-look
-- ARGV[1] the packed messages    ARGV[2] the SHA-1 of their envelopes, one behind the other
-- ARGV[3] how long before their time they come near, ms: what is due sooner is not packed
-- ARGV[4..] two a message, in the order of their due times: uid, due time
-- reply   {'OK', the number of the chunk}, or {'CHANGED'}; or {'LOST'} if it cannot be read how many messages are packed
--@include clock
--@include call_all
--@include far
--@include packable
--@include was_held
local LINES = 16 -- of a bucket, on average
local MOST_ORPHANS = 16
local parts = far_of()
local messages, scheduled, meta, chunks, bucket = KEYS.messages, KEYS.scheduled, KEYS.meta, KEYS.far_chunks, parts.bucket
local uids, dues = {}, {}
for i = 4, #ARGV, 2 do
  uids[#uids + 1], dues[#dues + 1] = ARGV[i], ARGV[i + 1]
end
local scores, bodies = redis.call('ZMSCORE', scheduled, unpack(uids)), redis.call('HMGET', messages, unpack(uids))
local fits, soonest = packable(uids, dues), now + ARGV[3]
for n = 1, #uids do
  if tonumber(dues[n]) < soonest or scores[n] ~= dues[n] or not bodies[n] or not fits[n] or was_held(bodies[n], dues[n]) then
    return { 'CHANGED' }
  end
end
if redis.sha1hex(table.concat(bodies)) ~= ARGV[2] then
  return { 'CHANGED' }
end
local head = redis.call('HGET', meta, 'far') or redis.call('EXISTS', chunks) == 0 and '0 ' .. stamp .. ' 1 0'
local count, chunk, buckets, fields, behind = parts.numbers(head)
for _ = 1, MOST_ORPHANS do
  if not count or redis.call('HEXISTS', chunks, chunk) == 0 or redis.call('ZSCORE', KEYS.far, chunk) then
    break
  end
  chunk = string.format('%.0f', chunk + 1) -- of what has this number nothing is known
end
if not count or redis.call('HEXISTS', chunks, chunk) == 1 then
  return { 'LOST' }
end
count, buckets, fields = count + #uids, tonumber(buckets), tonumber(fields)

local texts, were = {}, {} -- by the names of buckets: what they have, and whether they are there
local function read(names)
  for n, text in ipairs(redis.call('HMGET', messages, unpack(names))) do
    texts[names[n]], were[names[n]] = text or '', text and true
  end
end
local names, bucket_of = {}, {}
for n, uid in ipairs(uids) do
  bucket_of[n] = bucket(uid, buckets)
  if not texts[bucket_of[n]] then
    texts[bucket_of[n]], names[#names + 1] = '', bucket_of[n]
  end
end
read(names)
for n, uid in ipairs(uids) do
  local text = texts[bucket_of[n]]
  if string.find(text, '\n' .. uid .. ' ', 1, true) or string.sub(text, 1, #uid + 1) == uid .. ' '
      or text ~= '' and string.sub(text, -1) ~= '\n' then
    return { 'CHANGED' }
  end
  texts[bucket_of[n]] = text .. uid .. ' ' .. chunk .. ' ' .. dues[n] .. '\n'
end
-- The next bucket takes its share of the lines of one before it.
for _ = 1, #uids do
  if count <= LINES * buckets then
    break
  end
  local level = 1
  while level * 2 <= buckets do
    level = level * 2
  end
  local from, to = '@' .. string.format('%d', buckets - level), '@' .. string.format('%d', buckets)
  if not texts[from] then
    read({ from })
  end
  buckets = buckets + 1
  local stay, move = {}, {}
  for line, uid in string.gmatch(texts[from], '((%S+)[^\n]*\n)') do
    local into = bucket(uid, buckets) == to and move or stay
    into[#into + 1] = line
  end
  texts[from], texts[to] = table.concat(stay), table.concat(move)
end

call_all('HDEL', messages, uids)
call_all('ZREM', scheduled, uids)
local written, emptied = {}, {}
for name, text in pairs(texts) do
  if text ~= '' then
    written[#written + 1], written[#written + 2] = name, text
    fields = fields + (were[name] and 0 or 1)
  elseif were[name] then
    emptied[#emptied + 1] = name
    fields = fields - 1
  end
end
call_all('HDEL', messages, emptied)
call_all('HSET', messages, written)
redis.call('HSET', chunks, chunk, ARGV[1], 'n' .. chunk, string.format('%d %s %d', #uids, dues[#dues], #uids))
redis.call('ZADD', KEYS.far, dues[1], chunk)
redis.call('HSET', meta, 'far', string.format('%d %.0f %d %d %d', count, chunk + 1, buckets, fields,
  math.min(tonumber(string.match(behind, '^ (%d+)')) or math.huge, ARGV[3])))
return { 'OK', chunk }
