-- Gives the descriptions of instances, up to 4 MB; changes nothing.
--
-- KEYS[1..] instance:<instance>, at most 1,000
-- ARGV    none
-- reply   of each that was read, in their order: JSON, or '' if it has none any more
local reply, left = {}, 4 * 1024 * 1024
for i = 1, #KEYS do
  reply[i] = redis.call('GET', KEYS[i]) or ''
  left = left - #reply[i]
  if left < 0 then
    break
  end
end
return reply
