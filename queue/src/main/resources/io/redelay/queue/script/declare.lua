-- Records, for some time, that an instance whose code declares recurring messages lives. Safe to repeat.
--
-- I7  the first write deletes.
--
--@keys declarer
-- ARGV[1] for how long, ms
-- reply   {'OK'}
redis.call('DEL', KEYS.declarer)
redis.call('SET', KEYS.declarer, '{}', 'PX', ARGV[1])
return { 'OK' }
