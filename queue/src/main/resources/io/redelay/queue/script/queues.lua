-- Lists the queues that are known; changes nothing.
--
--@keys names
-- KEYS.names    a set of names, mostly of queues
-- ARGV    none
-- reply   the names
return redis.call('SMEMBERS', KEYS.names)
