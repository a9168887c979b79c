-- state_of(uid, now): the state of a message, and when it is due if it is scheduled; and if it is packed, the number of its chunk, with
-- @ before it: see far.
-- far_place(uid): that number and when it is due; nothing if it is not packed.
--
-- reads    KEYS.completed, KEYS.dead, KEYS.held, KEYS.messages, KEYS.meta, KEYS.scheduled
-- sets     far_place, state_of
--@include far
local far_head, far_parts -- the field `far` of meta, as the script finds it; looked up once

local function far_place(uid)
  if far_head == nil then
    far_head = redis.call('HGET', KEYS.meta, 'far')
    far_parts = far_head and far_of()
    far_head = far_head and far_parts.numbers(far_head) and far_head
  end
  if far_head then
    local chunk, due = far_parts.line(KEYS.messages, far_head, uid)
    return chunk and '@' .. chunk, due
  end
end

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
  if redis.call('ZSCORE', KEYS.dead, uid) then
    return 'DEAD'
  elseif redis.call('ZSCORE', KEYS.completed, uid) then
    return 'COMPLETED'
  end
  local chunk, due = far_place(uid)
  return chunk and 'SCHEDULED' or 'UNKNOWN', due, chunk
end
