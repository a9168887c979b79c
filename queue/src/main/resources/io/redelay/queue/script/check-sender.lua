-- Gives the last request of a sender's lane that Redis remembers; changes nothing.
--
-- I9  shows a sender that sends nothing any more that Redis went back in time.
--
--@keys sent
-- ARGV    none
-- reply   {'OK', now, the last request} or {'GONE', now}
--@include stamp
local memory = redis.call('GET', KEYS.sent)
if not memory then
  return { 'GONE', stamp }
end
return { 'OK', stamp, string.match(memory, '^%d+') }
