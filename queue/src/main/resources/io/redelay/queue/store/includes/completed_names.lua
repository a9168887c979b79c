-- named_or_completed(uid, name): the uid, unless its message does not live, and one of this id was completed after that died.
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
