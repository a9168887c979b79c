-- How sleeping lanes are woken.
--
-- reads    nothing
-- sets     wake, watch

-- wake(sleepers, channel): wakes one sleeping lane.
-- The lane is taken off the sleepers, so that the next call reaches another one. A lane whose instance does not listen
-- is passed over, a bounded number of times. A PUBLISH that is denied must not fail the caller: sleepers poll anyway.
local function wake(sleepers, channel)
  for _ = 1, 3 do
    local sleeper = redis.call('ZPOPMAX', sleepers)[1]
    if not sleeper then
      return
    end
    local heard = redis.pcall('PUBLISH', channel .. (string.match(sleeper, '^[^.]+') or ''), sleeper)
    if type(heard) ~= 'number' or heard > 0 then
      return
    end
  end
end

-- watch(event, sleepers, channel, now): wakes a sleeper unless one claims by the time of the next event, if there is one.
local function watch(event, sleepers, channel, now)
  if event and not redis.call('ZRANGEBYSCORE', sleepers, now, event, 'LIMIT', 0, 1)[1] then
    wake(sleepers, channel)
  end
end
