-- Tells who an instance is, for some time. Safe to repeat.
--
-- I7  the first write deletes.
--
-- KEYS[1] instance:<instance>
-- ARGV[1] what it tells of itself, JSON    ARGV[2] for how long, ms
-- reply   {'OK'}
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 'OK' }
