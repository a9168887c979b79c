-- delete_queue(keys, channel, past_ms): deletes all that a queue holds. keys are those that delete.lua names. Up to a hundred
-- sleeping lanes are woken, to find that they are gone.
--
-- reads    DELETED, wake
-- sets     delete_queue
local function delete_queue(keys, channel, past_ms)
  for _ = 1, math.min(100, redis.call('ZCARD', keys[3])) do
    wake(keys[3], channel)
  end
  for _, key in ipairs(keys) do
    redis.call('UNLINK', key)
  end
  -- So that no lane takes it for a Redis that went back in time.
  redis.call('SADD', keys[4], DELETED)
  redis.call('PEXPIRE', keys[4], past_ms)
end
