-- Gives what is known of all recurring messages of a queue; changes nothing.
--
-- KEYS[1] recurring
-- ARGV    none
-- reply   two a recurring message: its name, what is known of it
return redis.call('HGETALL', KEYS[1])
