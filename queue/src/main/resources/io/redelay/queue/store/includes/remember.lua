-- Remembers reply in case the request is repeated; see once. memory_ms: for how long; '' leaves that as it was, which costs Redis
-- less.
--
-- reads    ARGV[1], memory_ms, reply, sent
-- sets     nothing
if memory_ms == '' then
  redis.call('SET', sent, ARGV[1] .. ' ' .. reply, 'KEEPTTL')
else
  redis.call('SET', sent, ARGV[1] .. ' ' .. reply, 'PX', memory_ms)
end
