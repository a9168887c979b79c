-- state_of(uid): the state of a message, and when it is due if it is scheduled.
--
-- reads    completed, dead, held, messages, now, scheduled
-- sets     state_of
local function state_of(uid)
  if redis.call('HEXISTS', messages, uid) == 1 then
    if redis.call('HEXISTS', held, uid) == 1 then
      return 'IN_FLIGHT'
    end
    local due = redis.call('ZSCORE', scheduled, uid)
    if due and tonumber(due) > now then
      return 'SCHEDULED', due
    end
    return 'READY', due
  end
  return redis.call('ZSCORE', dead, uid) and 'DEAD' or redis.call('ZSCORE', completed, uid) and 'COMPLETED' or 'UNKNOWN'
end
