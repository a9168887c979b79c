-- Puts the bytes of chunks back that were read from the database of cold messages, ahead of their time; see includes/cold.lua. A Redis
-- that is full refuses it: thaw takes the bytes from there as well.
--
-- I1  only bytes whose SHA-1 stands in their place.
-- I3  safe to repeat: they are here then.
-- I6  as many chunks as the caller names, with a bounded number of bytes.
-- I11 a chunk that is gone, or has others, stays as it is.
--
--@keys far:chunks
-- ARGV[1..] two a chunk: number, bytes
-- reply   {'OK', how many are back}
--@include cold
local chunks, back = KEYS.far_chunks, 0
for i = 1, #ARGV, 2 do
  if cold(chunks, ARGV[i]) == redis.sha1hex(ARGV[i + 1]) then
    redis.call('HSET', chunks, ARGV[i], ARGV[i + 1])
    back = back + 1
  end
end
return { 'OK', string.format('%d', back) }
