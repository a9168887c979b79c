-- topic_reply(stamp): a list for the reply: now, the version of the topic's groups, and all entries of groups.
--
-- reads    KEYS.groups, KEYS.known
-- sets     topic_reply
local function topic_reply(stamp)
  local reply = redis.call('HGETALL', KEYS.groups)
  table.insert(reply, 1, stamp)
  table.insert(reply, 2, redis.call('GET', KEYS.known) or '')
  return reply
end
