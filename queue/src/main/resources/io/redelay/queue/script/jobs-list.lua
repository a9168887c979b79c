-- Gives all jobs that give commands on many messages; changes nothing.
--
--@keys jobs
-- KEYS.jobs    see jobs-write
-- ARGV    none
-- reply   now, then two a field of the hash: its name, its value
--@include stamp
local reply = redis.call('HGETALL', KEYS.jobs)
table.insert(reply, 1, stamp)
return reply
