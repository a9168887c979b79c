-- other_instance_claims(lane, due, channel, now): how a lane on which a message failed leaves the next attempt to another instance.
-- Gives whether a sleeper of another one claims when the message is due. If none does so by itself, wakes one, which then knows the
-- time. Looks at three sleepers of each kind.
--
--@keys-of claim
-- reads    nothing
-- sets     other_instance_claims
local function other_instance_claims(lane, due, channel, now)
  local instance = string.match(lane, '^[^.]+')
  for _, sleeper in ipairs(redis.call('ZRANGEBYSCORE', KEYS.sleepers, now, due, 'LIMIT', 0, 3)) do
    if string.match(sleeper, '^[^.]+') ~= instance then
      return true
    end
  end
  for _, sleeper in ipairs(redis.call('ZRANGE', KEYS.sleepers, -3, -1)) do
    local other = string.match(sleeper, '^[^.]+')
    if other ~= instance then
      redis.call('ZREM', KEYS.sleepers, sleeper)
      local receivers = redis.pcall('PUBLISH', channel .. other, sleeper)
      if type(receivers) == 'number' and receivers > 0 then
        return true
      end
    end
  end
  return false
end
