-- named_or_completed(uid, name): the uid; or, if its message is not living, the uid of one with this id that was completed later.
--
-- reads    completed, completed_messages, dead, messages
-- sets     named_or_completed
local function named_or_completed(uid, name)
  if redis.call('HEXISTS', messages, uid) == 1 then
    return uid
  end
  local other = redis.call('HGET', completed_messages, 'i:' .. name)
  if other and tonumber(redis.call('ZSCORE', completed, other)) >= tonumber(redis.call('ZSCORE', dead, uid) or 0) then
    return other
  end
  return uid
end
