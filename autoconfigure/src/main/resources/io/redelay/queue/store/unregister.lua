-- Takes a queue off those that are known. Safe to repeat.
--
-- KEYS[1] the set of queue names
-- ARGV[1] queue
-- reply   {'OK'}
redis.call('SREM', KEYS[1], ARGV[1])
return { 'OK' }
