-- Shows chunks of packed messages that may move to the database of cold messages, that may come back from there, or that are there, one
-- step; changes nothing. See includes/cold.lua.
--
-- I6  looks at a bounded number of chunks.
-- I8  reads no more than a number of bytes.
--
--@keys far far:chunks
-- ARGV[1] 'OUT': those that are here and due after a time; 'IN': those that are there and due before it;
--         'NAMED': ARGV[2..] are numbers of chunks, at most 500
-- ARGV[2] how far away that time is, ms                   ARGV[3] how many chunks to show, at most 500
-- ARGV[4] byte limit, which the last one may exceed       ARGV[5] the due time from which to go on, or '' to begin
-- ARGV[6] how many with that due time to pass over
-- reply   {'OK', now, the due time from which to go on or '' if there are no more, how many with that time to pass over, then four a
--          chunk: number, earliest due time, how many messages it has and the latest due time with a blank between, its bytes, or
--          what stands in their place}. Of 'NAMED', after now, the SHA-1 of each that is there, '' for the others
--@include clock
--@include cold
local MOST_LOOKED_AT = 500
local chunks = KEYS.far_chunks
local reply = { 'OK', stamp }
if ARGV[1] == 'NAMED' then
  for i = 2, #ARGV do
    reply[i + 1] = cold(chunks, ARGV[i]) or ''
  end
  return reply
end
local out, limit = ARGV[1] == 'OUT', string.format('%.0f', now + tonumber(ARGV[2]))
local most, left, from, over = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
if from == '' then
  from, over = out and limit or '-inf', 0
end
local found = redis.call('ZRANGEBYSCORE', KEYS.far, from, out and '+inf' or limit, 'WITHSCORES', 'LIMIT', over, MOST_LOOKED_AT)
local looked = 0
reply[3], reply[4] = '', '0'
for i = 1, #found, 2 do
  if #reply - 4 >= 4 * most or left <= 0 then
    break
  end
  local number, due = found[i], found[i + 1]
  looked = looked + 1
  if due == from then
    over = over + 1
  else
    from, over = due, 1
  end
  local there = cold(chunks, number)
  local bytes = (there and true or false) ~= out and redis.call('HGET', chunks, number)
  if bytes then
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 4] = number, due, bytes
    reply[n + 3] = redis.call('HGET', chunks, 'n' .. number) or '0 0'
    left = left - #bytes
  end
end
if 2 * looked < #found or looked == MOST_LOOKED_AT then
  reply[3], reply[4] = from, string.format('%d', over)
end
return reply
