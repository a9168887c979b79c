-- Puts messages of a chunk back where scheduled messages are, as the client has unpacked them; see includes/far.lua.
--
-- I1  a message that was removed since it was packed stays removed; all others are scheduled before and after it.
-- I2  each is due when it was due.
-- I3  safe to repeat: the messages are near then, and have no lines.
-- I6  as many messages as the chunk has; of a chunk that stays, the cost does not depend on how many it has.
-- I7  the first write deletes: a full Redis lets messages come near.
-- I9  a message that a lane holds without a body, as Redis went back in time, gets its body.
-- I10 what the chunk says of others stops none of those that the client has unpacked. It stays as long as it may have others: only
--     a client that has unpacked it as a whole ends it, as it may say wrongly that it has none.
-- I11 all is checked before the first write.
--
--@keys messages scheduled meta far far:chunks held sleepers
-- ARGV[1] number of the chunk    ARGV[2] SHA-1 of the packed messages    ARGV[3] wake channel, without the instance
-- ARGV[4] 'ALL' if it has no others, as the client has unpacked it as a whole, or 'SOME'
-- ARGV[5..] two a message: uid, envelope
-- reply   {'OK', how many came near, of ALL how many others the chunk says that it has}; {'GONE'} if there is no such chunk any more;
--         {'LOST'} if it cannot be read how many messages are packed; {'WHOLE'} to SOME if it would leave none: ask with ALL
--@include clock
--@include call_all
--@include far
--@include marks
--@include wake
local parts = far_of()
local messages, meta, chunks, chunk, bucket = KEYS.messages, KEYS.meta, KEYS.far_chunks, ARGV[1], parts.bucket
local packed, is_all = redis.call('HGET', chunks, chunk), ARGV[4] == 'ALL'
if not packed or parts.sha1(packed) ~= ARGV[2] then
  return { 'GONE' }
end
local count, next_chunk, buckets, fields, behind = parts.numbers(redis.call('HGET', meta, 'far'))
if not count then
  return { 'LOST' }
end
buckets = tonumber(buckets)
local texts, names, bucket_of = {}, {}, {} -- by the names of buckets: what they have
for i = 5, #ARGV, 2 do
  local name = bucket(ARGV[i], buckets)
  bucket_of[i] = name
  if not texts[name] then
    texts[name], names[#names + 1] = '', name
  end
end
for n, text in ipairs(#names > 0 and redis.call('HMGET', messages, unpack(names)) or {}) do
  texts[names[n]] = text
end
local uids, bodies, dues = {}, {}, {}
for i = 5, #ARGV, 2 do
  local uid, text = ARGV[i], texts[bucket_of[i]] or ''
  local line = uid .. ' ' .. chunk .. ' '
  local first, last = string.find('\n' .. text, '\n' .. line, 1, true)
  local due, rest = string.match(text, '^(%d+)\n()', last)
  if first and due then
    texts[bucket_of[i]] = string.sub(text, 1, first - 1) .. string.sub(text, rest)
    uids[#uids + 1], dues[#dues + 1], bodies[#bodies + 1] = uid, due, ARGV[i + 1]
  end
end
local left, behind_left = parts.left(chunks, chunk)
local others = left and left - #uids or is_all and 0
if others and others <= 0 and not is_all then
  return { 'WHOLE' }
end
if #uids == 0 and not (is_all and others <= 0) then
  return { 'OK', '0', string.format('%d', is_all and others or 0) }
end
local holders, known = {}, {}
if #uids > 0 then
  holders, known = redis.call('HMGET', KEYS.held, unpack(uids)), redis.call('HMGET', messages, unpack(uids))
end

redis.call('ZREM', KEYS.far, '') -- deletes nothing
if others and others <= 0 then
  redis.call('HDEL', chunks, chunk, 'n' .. chunk)
  redis.call('ZREM', KEYS.far, chunk)
elseif others then
  redis.call('HSET', chunks, 'n' .. chunk, string.format('%d%s', others, behind_left))
end
local written, emptied = {}, {}
for _, name in ipairs(names) do
  if texts[name] == '' then
    emptied[#emptied + 1] = name
  elseif texts[name] then
    written[#written + 1], written[#written + 2] = name, texts[name]
  end
end
call_all('HDEL', messages, emptied)
call_all('HSET', messages, written)
count = math.max(0, count - #uids) -- what is recorded may be too low
if count <= 0 and redis.call('EXISTS', chunks) == 0 then
  redis.call('HDEL', meta, 'far')
else
  redis.call('HSET', meta, 'far', string.format('%d %s %d %d%s', count, next_chunk, buckets, fields - #emptied, behind))
end
local near, due_later = {}, {}
for n, uid in ipairs(uids) do
  if not known[n] then
    near[#near + 1], near[#near + 2] = uid, bodies[n]
    if holders[n] then
      redis.call('HSET', KEYS.held, uid, string.match(holders[n], '^[^' .. BODILESS .. ']+'))
    else
      due_later[#due_later + 1], due_later[#due_later + 2] = dues[n], uid
    end
  end
end
call_all('HSET', messages, near)
call_all('ZADD', KEYS.scheduled, due_later)
wake(KEYS.sleepers, ARGV[3], now, redis.call('ZRANGE', KEYS.scheduled, 0, 0, 'WITHSCORES')[2])
return { 'OK', string.format('%d', #near / 2), string.format('%d', is_all and math.max(0, others) or 0) }
