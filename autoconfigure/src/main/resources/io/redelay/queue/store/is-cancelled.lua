-- Tells whether a held message was cancelled; changes nothing.
--
-- KEYS[1] cancelled
-- ARGV[1] uid
-- reply   {'1'} or {'0'}
return { tostring(redis.call('SISMEMBER', KEYS[1], ARGV[1])) }
