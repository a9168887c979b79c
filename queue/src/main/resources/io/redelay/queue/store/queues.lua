-- Lists the queues that are known; changes nothing.
--
-- KEYS[1] the set of queue names
-- ARGV    none
-- reply   the names
return redis.call('SMEMBERS', KEYS[1])
