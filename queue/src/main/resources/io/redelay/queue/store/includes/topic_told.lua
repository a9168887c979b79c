-- told: what is to be told of a topic: now, the version of its groups, and all that groups has of it.
--
-- reads    groups, known, stamp
-- sets     told
local told = redis.call('HGETALL', groups)
table.insert(told, 1, stamp)
table.insert(told, 2, redis.call('GET', known) or '')
