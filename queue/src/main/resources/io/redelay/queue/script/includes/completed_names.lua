-- named_or_completed(uid, name): the uid; or, if its message is not living, the uid of one with this id that was completed later.
--
-- reads    KEYS.completed, KEYS.completed_messages, KEYS.dead, KEYS.messages, far_place
-- sets     named_or_completed
local function named_or_completed(uid, name)
  if redis.call('HEXISTS', KEYS.messages, uid) == 1 then
    return uid
  end
  local other = redis.call('HGET', KEYS.completed_messages, 'i:' .. name)
  if other and not far_place(uid)
      and tonumber(redis.call('ZSCORE', KEYS.completed, other)) >= tonumber(redis.call('ZSCORE', KEYS.dead, uid) or 0) then
    return other
  end
  return uid
end
