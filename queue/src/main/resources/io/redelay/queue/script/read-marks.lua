-- Reads the marks of a history, those of a queue or those of the instances; changes nothing. Something else under the key has none.
--
--@keys marks
-- ARGV    none
-- reply   {'OK', now, and the marks, the newest first, as keep_mark writes them}
--@include stamp
local reply = { 'OK', stamp }
for i, mark in ipairs(redis.pcall('LRANGE', KEYS.marks, 0, -1)) do
  reply[i + 2] = mark
end
return reply
