-- Puts the messages of a chunk back where scheduled messages are, as the client has unpacked them; see includes/far.lua.
--
-- I1  a message that was removed since it was packed stays removed; all others are scheduled before and after it.
-- I2  each is due when it was due.
-- I3  safe to repeat: the chunk is gone then.
-- I6  as many messages as the chunk has.
-- I7  the first write deletes: a full Redis lets messages come near.
-- I9  a message that a lane holds without a body, as Redis went back in time, gets its body.
-- I11 all is checked before the first write: a chunk of which the client did not unpack each message stays as it is.
--
--@keys messages scheduled meta far far:chunks held sleepers
-- ARGV[1] number of the chunk    ARGV[2] SHA-1 of the packed messages    ARGV[3] wake channel, without the instance
-- ARGV[4..] two a message: uid, envelope
-- reply   {'OK', how many came near}; {'GONE'} if there is no such chunk any more; {'STRANGE'} if the chunk has others
--@include clock
--@include call_all
--@include far
--@include marks
--@include wake
local messages, meta, chunks, chunk, bucket = KEYS.messages, KEYS.meta, KEYS.far_chunks, ARGV[1], far_of().bucket
local packed, head = redis.call('HGET', chunks, chunk), redis.call('HGET', meta, 'far')
local sha1 = packed and (string.match(packed, '^%*(%x+)$') or redis.sha1hex(packed)) -- see includes/cold.lua
if not head or sha1 ~= ARGV[2] then
  return { 'GONE' }
end
local count, next_chunk, buckets, fields = string.match(head, '^(%d+) (%d+) (%d+) (%d+)')
buckets = tonumber(buckets)
local texts, names, bucket_of = {}, {}, {} -- by the names of buckets: what they have
for i = 4, #ARGV, 2 do
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
for i = 4, #ARGV, 2 do
  local uid, text = ARGV[i], texts[bucket_of[i]] or ''
  local line = uid .. ' ' .. chunk .. ' '
  local first, last = string.find('\n' .. text, '\n' .. line, 1, true)
  if first then
    local due, rest = string.match(text, '^(%d+)\n()', last)
    texts[bucket_of[i]] = string.sub(text, 1, first - 1) .. string.sub(text, rest)
    uids[#uids + 1], dues[#dues + 1], bodies[#bodies + 1] = uid, due, ARGV[i + 1]
  end
end
if #uids ~= tonumber(string.match(redis.call('HGET', chunks, 'n' .. chunk) or '', '^%d+')) then
  return { 'STRANGE' }
end
local holders, known = redis.call('HMGET', KEYS.held, unpack(uids)), redis.call('HMGET', messages, unpack(uids))

redis.call('HDEL', chunks, chunk, 'n' .. chunk)
redis.call('ZREM', KEYS.far, chunk)
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
count = count - #uids
if count == 0 then
  redis.call('HDEL', meta, 'far')
else
  redis.call('HSET', meta, 'far', string.format('%d %s %d %d', count, next_chunk, buckets, fields - #emptied))
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
return { 'OK', string.format('%d', #near / 2) }
