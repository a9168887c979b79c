-- told: a list for the reply: now, the version of the topic's groups, and all entries of groups.
--
-- reads    groups, known, stamp
-- sets     told
local told = redis.call('HGETALL', groups)
table.insert(told, 1, stamp)
table.insert(told, 2, redis.call('GET', known) or '')
