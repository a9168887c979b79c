-- Reads the rings of the last sixty minutes and of the last slots of five seconds of a queue; changes nothing.
--
--@keys stats messages scheduled held lanes meta
-- ARGV    none
-- reply   {'OK', now, how many are ready, and each minute that is known as one text: which one it is, counted from 1970, the eleven
--          numbers that add-stats is given, and how many were ready at last or '-'; and each slot, with an s before it, and when they were
--          ready behind it}
--@include stamp
--@include near
local later = redis.call('ZCOUNT', KEYS.scheduled, '(' .. stamp, '+inf')
local in_flight = redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes)
local reply = { 'OK', stamp, math.max(0, near_living(KEYS.messages, KEYS.meta) - later - in_flight) }
local all = redis.call('HGETALL', KEYS.stats)
for i = 1, #all, 2 do
  local slot = string.match(all[i], '^@ %d+$')
  if slot or string.match(all[i], '^%d+$') then
    reply[#reply + 1] = (slot and 's ' or '') .. all[i + 1]
  end
end
return reply
