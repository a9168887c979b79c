-- Removes a queue from the set of queue names. Safe to repeat.
--
-- KEYS[1] the set of queue names
-- ARGV[1] queue
-- reply   {'1' if it was among them, else '0'}
return { string.format('%d', redis.call('SREM', KEYS[1], ARGV[1])) }
