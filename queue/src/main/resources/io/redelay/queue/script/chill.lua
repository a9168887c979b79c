-- Replaces the bytes of chunks that the database of cold messages has by now; see includes/cold.lua.
--
-- I1  only bytes that are those that were written there: its SHA-1 stays in their place.
-- I3  safe to repeat: they are not here then.
-- I6  as many chunks as the caller names, which has read no more bytes than one request may.
-- I7  the first write deletes.
--
--@keys far:chunks
-- ARGV[1..] two a chunk: number, SHA-1 of its bytes
-- reply   {'OK', how many were replaced}
local chunks, replaced = KEYS.far_chunks, 0
for i = 1, #ARGV, 2 do
  local number, sha1 = ARGV[i], ARGV[i + 1]
  local bytes = redis.call('HGET', chunks, number)
  if bytes and redis.sha1hex(bytes) == sha1 then
    redis.call('HDEL', chunks, number)
    redis.call('HSET', chunks, number, '*' .. sha1)
    replaced = replaced + 1
  end
end
return { 'OK', string.format('%d', replaced) }
