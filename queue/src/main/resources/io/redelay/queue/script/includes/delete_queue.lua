-- delete_queue(keys, sleepers, past, channel, past_ms): deletes all that a queue holds: all of keys. Up to a hundred sleeping lanes
-- are woken, to find that they are gone.
--
-- reads    DELETED, wake
-- sets     delete_queue
local function delete_queue(keys, sleepers, past, channel, past_ms)
  for _ = 1, math.min(100, redis.call('ZCARD', sleepers)) do
    wake(sleepers, channel)
  end
  for _, key in ipairs(keys) do
    redis.call('UNLINK', key)
  end
  -- So that no lane takes it for a Redis that went back in time.
  redis.call('SADD', past, DELETED)
  redis.call('PEXPIRE', past, past_ms)
end
