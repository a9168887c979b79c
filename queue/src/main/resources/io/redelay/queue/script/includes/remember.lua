-- Remembers reply in case the request is repeated; see once. memory_ms: for how long; '' leaves that as it was, which costs Redis
-- less. number: that of the request.
--
-- reads    memory_ms, number, reply, sent
-- sets     nothing
if memory_ms == '' then
  redis.call('SET', sent, number .. ' ' .. reply, 'KEEPTTL')
else
  redis.call('SET', sent, number .. ' ' .. reply, 'PX', memory_ms)
end
