-- Adds a queue to the set of queue names. Safe to repeat.
--
-- I7  the first write deletes, so that a consumer can start when Redis is full.
--
-- KEYS[1] the set of queue names
-- ARGV[1] queue
-- reply   {'OK'}
redis.call('SREM', KEYS[1], '') -- deletes nothing
redis.call('SADD', KEYS[1], ARGV[1])
return { 'OK' }
