-- Counts the scheduled messages that are due between each two of some times; changes nothing. It reads numbers only, and takes as long
-- however many messages there are.
--
--@keys scheduled
-- ARGV    times in ms, each later than the one before; at most 65
-- reply   {'OK', now, then how many are due from each time on and before the next one}
--@include clock
local reply = { 'OK', stamp }
for i = 2, #ARGV do
  reply[i + 1] = redis.call('ZCOUNT', KEYS.scheduled, ARGV[i - 1], '(' .. ARGV[i])
end
return reply
