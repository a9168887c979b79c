-- Gives what is known of all recurring messages of a queue; changes nothing.
--
-- KEYS[1] recurring
-- ARGV    none
-- reply   a list: OK, now, then two a recurring message: its name, what is known of it
--@include clock
local reply = { 'OK', stamp }
for n, text in ipairs(redis.call('HGETALL', KEYS[1])) do
  reply[n + 2] = text
end
return reply
