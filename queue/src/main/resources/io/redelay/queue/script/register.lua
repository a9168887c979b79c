-- Adds a queue to the set of queue names. Safe to repeat.
--
-- I7  the first write deletes, so that a consumer can start when Redis is full.
--
--@keys names
-- KEYS.names    a set of names, mostly of queues
-- ARGV[1] queue
-- reply   {'OK'}
redis.call('SREM', KEYS.names, '') -- deletes nothing
redis.call('SADD', KEYS.names, ARGV[1])
return { 'OK' }
