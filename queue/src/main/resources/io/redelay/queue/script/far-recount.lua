-- Counts the packed messages of a queue again, step by step, where what meta has of them was lost or is wrong; see includes/far.lua.
-- The last step writes what was counted, unless packed messages came or went since the first one.
--
-- I3  safe to repeat: a step only counts, and the last one writes the same again.
-- I6  looks at a bounded number of fields.
-- I7  the first write deletes.
--
--@keys messages meta far far:chunks
-- ARGV[1] where to go on: 0, or the place from the previous reply; or 'WRITE'
-- ARGV[2] of WRITE: what meta had in the first step    ARGV[3] how many messages    ARGV[4] a number that is higher than those of all chunks
-- ARGV[5] how many buckets there may be    ARGV[6] how many are there
-- reply   {'OK', where to go on or '', what meta has or '', then two a bucket: its number, how many messages}; of WRITE {'OK'}, or
--         {'CHANGED'}: nothing was done
--@include far
local messages, meta, chunks = KEYS.messages, KEYS.meta, KEYS.far_chunks
local head = redis.call('HGET', meta, 'far') or ''
if ARGV[1] ~= 'WRITE' then
  local FEW = 50 -- a bucket has many lines
  local found = redis.call('HSCAN', messages, ARGV[1], 'COUNT', FEW)
  local reply = { 'OK', found[1] == '0' and '' or found[1], head }
  for i = 1, #found[2], 2 do
    local bucket, n = string.match(found[2][i], '^@(%d+)$'), #reply
    if bucket then
      local _, lines = string.gsub(found[2][i + 1], '[^\n]+\n', '')
      reply[n + 1], reply[n + 2] = bucket, string.format('%d', lines)
    end
  end
  return reply
elseif head ~= ARGV[2] then
  return { 'CHANGED' }
end
redis.call('ZREM', KEYS.far, '') -- deletes nothing
if ARGV[3] == '0' and redis.call('EXISTS', chunks) == 0 then
  redis.call('HDEL', meta, 'far')
else
  local _, _, _, _, behind = far_of().numbers(head)
  redis.call('HSET', meta, 'far', table.concat({ ARGV[3], ARGV[4], ARGV[5], ARGV[6] }, ' ') .. (behind or ''))
end
return { 'OK' }
