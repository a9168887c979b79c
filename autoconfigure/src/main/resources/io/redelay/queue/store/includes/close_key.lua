-- close_key(gates, key, till): the messages of a fairness key wait until a time. The key of all gates goes by itself.
--
-- reads    nothing
-- sets     close_key
local function close_key(gates, key, till)
  redis.call('ZADD', gates, till, key)
  redis.call('PEXPIREAT', gates, string.format('%.0f', redis.call('ZRANGE', gates, '-1', '-1', 'WITHSCORES')[2] + 1000))
end
