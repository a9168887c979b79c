-- near_living(messages, meta): how many messages of a queue live and are not packed; see far.
--
-- reads    nothing
-- sets     near_living
local function near_living(messages, meta)
  local head = redis.call('HGET', meta, 'far')
  return redis.call('HLEN', messages) - (head and string.match(head, '^%d+ %d+ %d+ (%d+)') or 0)
end
