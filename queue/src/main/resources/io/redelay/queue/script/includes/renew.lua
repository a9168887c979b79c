-- Renews the lease of a living lane, and so of all messages that it holds. shared_held: nil unless the listener shares a limit
-- with others; see shared_limits.
--
-- reads    ARGV[2], held, lane, lanes, now, shared_held
-- sets     nothing
--@paste rest
redis.call('ZREM', lanes, '') -- deletes nothing
redis.call('ZADD', lanes, 'XX', 'GT', now + tonumber(ARGV[2]), lane)
if shared_held then
  local n = string.match(redis.call('HGET', shared_held, held) or '', '^%d+ ')
  if n then
    redis.call('HSET', shared_held, held, n .. redis.call('ZRANGE', lanes, '-1', '-1', 'WITHSCORES')[2])
  end
end
if redis.call('PTTL', lanes) >= 0 then
  rest(held, lanes)
end
