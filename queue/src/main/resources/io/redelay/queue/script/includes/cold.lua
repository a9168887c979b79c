-- Where the bytes of a chunk are in a database of cold messages, `*` and their SHA-1 stand in their place in `far:chunks`.
--
-- cold(chunks, number): that SHA-1; nothing if the bytes are here, or there is no such chunk.
--
-- reads    nothing
-- sets     cold
local function cold(chunks, number)
  local LENGTH = 41
  return redis.call('HSTRLEN', chunks, number) == LENGTH and string.match(redis.call('HGET', chunks, number), '^%*(%x+)$')
end
