-- Removes a queue from the set of queue names. Safe to repeat.
--
--@keys names
-- KEYS.names    a set of names, mostly of queues
-- ARGV[1] queue
-- reply   {'1' if it was among them, else '0'}
return { string.format('%d', redis.call('SREM', KEYS.names, ARGV[1])) }
