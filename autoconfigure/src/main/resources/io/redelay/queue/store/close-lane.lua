-- Closes a lane that holds nothing any more. Safe to repeat.
--
-- KEYS[1] held    KEYS[2] lanes    KEYS[3] sleepers
-- ARGV[1] lane
-- reply   {'OK'}
redis.call('HDEL', KEYS[1], '@' .. ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return { 'OK' }
