-- close_key(gates, key, till, now): has the messages of a fairness key wait until a time. The key of all gates expires; each call
-- removes some gates that are over.
--
-- reads    call_all
-- sets     close_key
local function close_key(gates, key, till, now)
  local over = redis.call('ZRANGEBYSCORE', gates, '-inf', now, 'LIMIT', 0, 10)
  call_all('ZREM', gates, over)
  redis.call('ZADD', gates, till, key)
  redis.call('PEXPIREAT', gates, string.format('%.0f', redis.call('ZRANGE', gates, '-1', '-1', 'WITHSCORES')[2] + 1000))
end
