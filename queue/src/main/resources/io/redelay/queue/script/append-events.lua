-- Adds events of an instance to the feed, and drops the oldest ones beyond a number. Safe to repeat: a reader passes over events
-- whose numbers it has read before.
--
-- I7  the first write deletes.
-- I8  bounded by the number of entries, each of which the caller bounds; the feed ends by itself.
--
--@keys events
-- KEYS.events    stream of batches: s their source, n the number of the first one, e the events, JSON
-- ARGV[1] how many batches are kept beside this one    ARGV[2] for how long the feed is kept, ms
-- ARGV[3] their source    ARGV[4] the number of the first one    ARGV[5] the events, JSON
-- reply   {'OK'}
local events = KEYS.events
redis.call('XTRIM', events, 'MAXLEN', ARGV[1])
redis.call('XADD', events, '*', 's', ARGV[3], 'n', ARGV[4], 'e', ARGV[5])
redis.call('PEXPIRE', events, ARGV[2])
return { 'OK' }
