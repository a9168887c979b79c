-- wake(sleepers, channel, now, event): wakes one sleeping lane. With now, and the time of the next event or nil: only if there is an
-- event, and if no sleeper claims by then.
-- The lane is taken off the sleepers, so that the next call reaches another one. A lane whose instance does not listen
-- is passed over, a bounded number of times. A PUBLISH that is denied must not fail the caller: sleepers poll anyway.
--
-- reads    nothing
-- sets     wake
local function wake(sleepers, channel, now, event)
  if now and (not event or redis.call('ZRANGEBYSCORE', sleepers, now, event, 'LIMIT', 0, 1)[1]) then
    return
  end
  for _ = 1, 3 do
    local sleeper = redis.call('ZPOPMAX', sleepers)[1]
    if not sleeper then
      return
    end
    local receivers = redis.pcall('PUBLISH', channel .. (string.match(sleeper, '^[^.]+') or ''), sleeper)
    if type(receivers) ~= 'number' or receivers > 0 then
      return
    end
  end
end
