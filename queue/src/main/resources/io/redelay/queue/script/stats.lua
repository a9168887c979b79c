-- Reads a ring of a queue's history: that of the last hour with the slots of five seconds, of a day or of a month; changes nothing.
--
--@keys stats messages scheduled held lanes meta stats:day stats:month
-- ARGV[1] HOUR, DAY or MONTH
-- reply   {'OK', now, how many are ready, and each minute that is known as one text: which one it is, counted from 1970, the eleven
--          numbers that add-stats is given, and how many were ready at last or '-'; and each slot, with an s before it, and when they were
--          ready behind it}; of a day or a month the fields as add-stats writes them
--@include stamp
--@include near
local later = redis.call('ZCOUNT', KEYS.scheduled, '(' .. stamp, '+inf')
local in_flight = redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes)
local reply = { 'OK', stamp, math.max(0, near_living(KEYS.messages, KEYS.meta) - later - in_flight) }
local is_hour = ARGV[1] == 'HOUR'
local read = is_hour and redis.call or redis.pcall -- what else may be under the keys of a day and a month stops nothing
local all = read('HGETALL', is_hour and KEYS.stats or ARGV[1] == 'DAY' and KEYS.stats_day or KEYS.stats_month)
for i = 1, #all, 2 do
  local slot = is_hour and string.match(all[i], '^@ %d+$')
  if slot or string.match(all[i], '^%d+$') then
    reply[#reply + 1] = (slot and 's ' or '') .. all[i + 1]
  end
end
return reply
