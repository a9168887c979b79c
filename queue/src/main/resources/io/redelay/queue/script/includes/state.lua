-- state_of(uid, now): the state of a message, and when it is due if it is scheduled.
--
-- reads    KEYS.completed, KEYS.dead, KEYS.held, KEYS.messages, KEYS.scheduled
-- sets     state_of
local function state_of(uid, now)
  if redis.call('HEXISTS', KEYS.messages, uid) == 1 then
    if redis.call('HEXISTS', KEYS.held, uid) == 1 then
      return 'IN_FLIGHT'
    end
    local due = redis.call('ZSCORE', KEYS.scheduled, uid)
    if due and tonumber(due) > now then
      return 'SCHEDULED', due
    end
    return 'READY', due
  end
  return redis.call('ZSCORE', KEYS.dead, uid) and 'DEAD' or redis.call('ZSCORE', KEYS.completed, uid) and 'COMPLETED' or 'UNKNOWN'
end
