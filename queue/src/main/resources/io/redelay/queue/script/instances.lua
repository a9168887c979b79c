-- Lists the instances that announce themselves, at most 1,000; changes nothing.
--
--@keys instances
-- ARGV    none
-- reply   {'OK', now, then two an instance: its name, until when it is believed}
--@include stamp
local reply = { 'OK', stamp }
for i, word in ipairs(redis.call('ZRANGEBYSCORE', KEYS.instances, '(' .. stamp, '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)) do
  reply[i + 2] = word
end
return reply
