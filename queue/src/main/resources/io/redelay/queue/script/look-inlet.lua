-- Shows the next entries of an inlet, a list to which others push; changes nothing. Redis gives the size of an entry only with the
-- entry, so each is read by itself, until there are enough.
--
-- I6  bounded by ARGV[1], and by ARGV[2] but for the last entry.
--
--@keys meta inlet
-- KEYS.meta     closed -> whether nothing is to be sent
-- ARGV[1] how many entries at most    ARGV[2] how many bytes, of which the last entry may be more    ARGV[3] up to how many bytes of
--         an entry are shown
-- reply   {'OK', now, how many entries there are, '1' if the queue is closed or '0', then two an entry: how many bytes it has, and the
--         first of them}; {'FOREIGN', now} if the key is no list
--@include stamp
local meta, inlet = KEYS.meta, KEYS.inlet
local most, bytes, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local length = redis.pcall('LLEN', inlet)
if type(length) ~= 'number' then
  return { 'FOREIGN', stamp }
end
local reply = { 'OK', stamp, length, redis.call('HEXISTS', meta, 'closed') == 1 and '1' or '0' }
for at = 0, math.min(most, length) - 1 do
  local text = redis.call('LRANGE', inlet, at, at)[1]
  local n = #reply
  reply[n + 1], reply[n + 2] = #text, string.sub(text, 1, longest)
  bytes = bytes - #text
  if bytes <= 0 then
    break
  end
end
return reply
