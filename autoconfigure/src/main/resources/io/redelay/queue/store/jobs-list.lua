-- Gives all jobs that give commands on many messages; changes nothing.
--
-- KEYS[1] jobs, see jobs-write
-- ARGV    none
-- reply   two a field of the hash: its name, its value
return redis.call('HGETALL', KEYS[1])
