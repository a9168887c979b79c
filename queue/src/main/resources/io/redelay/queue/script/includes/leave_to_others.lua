-- How a lane on which a message failed leaves the next attempt to another instance.
--
-- reads    channel, lane, now, sleepers
-- sets     HEAD_START_MS, others_come
local HEAD_START_MS = 100 -- how much earlier than the lane the others claim

-- others_come(due): gives whether a sleeper of another instance claims when a message is due. If none does so by itself, wakes one,
-- which then knows the time. Looks at three sleepers of each kind.
local function others_come(due)
  local instance = string.match(lane, '^[^.]+')
  for _, sleeper in ipairs(redis.call('ZRANGEBYSCORE', sleepers, now, due, 'LIMIT', 0, 3)) do
    if string.match(sleeper, '^[^.]+') ~= instance then
      return true
    end
  end
  for _, sleeper in ipairs(redis.call('ZRANGE', sleepers, -3, -1)) do
    local other = string.match(sleeper, '^[^.]+')
    if other ~= instance then
      redis.call('ZREM', sleepers, sleeper)
      local heard = redis.pcall('PUBLISH', channel .. other, sleeper)
      if type(heard) == 'number' and heard > 0 then
        return true
      end
    end
  end
  return false
end
