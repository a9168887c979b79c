-- Lists the causes of dead messages, the last one first, without their bodies; changes nothing.
--
-- I8  reads no more than a number of entries and of bytes.
--
--@keys dead dead:messages
-- ARGV[1] how many to pass over    ARGV[2] how many to list, at most 500    ARGV[3] byte limit, which the last one may exceed
-- reply   {'OK', now, '1' if there are more or '0', then three a message: uid, time of death, cause}
--@include stamp
local dead, dead_messages = KEYS.dead, KEYS.dead_messages
local offset, count, left = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local entries = redis.call('ZREVRANGE', dead, offset, offset + count, 'WITHSCORES')
local reply = { 'OK', stamp, '' }
local listed = 0
local AT_ONCE = 50 -- few, as causes may be long
while listed < count and entries[2 * listed + 1] and left > 0 do
  local fields = {}
  for i = listed, math.min(listed + AT_ONCE, count, #entries / 2) - 1 do
    fields[#fields + 1] = entries[2 * i + 1] .. '/cause'
  end
  for _, cause in ipairs(redis.call('HMGET', dead_messages, unpack(fields))) do
    if left > 0 then
      cause = cause or ''
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3] = entries[2 * listed + 1], entries[2 * listed + 2], cause
      listed = listed + 1
      left = left - #cause
    end
  end
end
reply[3] = entries[2 * listed + 1] and '1' or '0'
return reply
