-- Gives what an instance tells of itself; changes nothing.
--
-- KEYS[1] instance:<instance>
-- ARGV    none
-- reply   {JSON}, or {} if it tells nothing any more
local description = redis.call('GET', KEYS[1])
return description and { description } or {}
