-- Records, for some time, that an instance whose code declares recurring messages lives. Safe to repeat.
--
-- I7  the first write deletes.
--
-- KEYS[1] declarer:<instance>
-- ARGV[1] for how long, ms
-- reply   {'OK'}
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '{}', 'PX', ARGV[1])
return { 'OK' }
