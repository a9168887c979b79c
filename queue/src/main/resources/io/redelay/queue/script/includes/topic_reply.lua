-- reply: a list for the reply: now, the version of the topic's groups, and all entries of groups.
--
-- reads    groups, known, stamp
-- sets     reply
local reply = redis.call('HGETALL', groups)
table.insert(reply, 1, stamp)
table.insert(reply, 2, redis.call('GET', known) or '')
