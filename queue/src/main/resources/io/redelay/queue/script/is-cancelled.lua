-- Gives which of several held messages were cancelled; changes nothing.
--
-- I6  the caller names 500 at most.
--
--@keys cancelled
-- ARGV[1..] uids
-- reply   a list: '1' or '0' for each
local words = {}
for i, is_member in ipairs(redis.call('SMISMEMBER', KEYS.cancelled, unpack(ARGV))) do
  words[i] = tostring(is_member)
end
return words
