-- Data of completed messages: envelopes, results and handlers' records; see kept. completed:tags has members as `tags` has; it is a key
-- of its own because it expires when the youngest completed message is too old.
--
-- reads    completed, completed_messages, completed_tags, kept_of
-- sets     change_completed_tags, forget_completed, kept_completed
local kept_completed = kept_of(completed_messages, { '/result' }, { '/progress', '/log' })

-- Calls Redis with the members of the tags of a completed message. text: its tags, with line feeds between.
local function change_completed_tags(uid, text, command, score)
  local members = {}
  for name in string.gmatch(text, '[^\n]+') do
    members[#members + 1] = score
    members[#members + 1] = name .. '\0' .. uid
  end
  if #members > 0 then
    redis.call(command, completed_tags, unpack(members))
  end
end

-- forget_completed(uid): removes a completed message and all its data. Gives whether it was there.
local function forget_completed(uid)
  if redis.call('ZREM', completed, uid) == 0 then
    return false
  end
  kept_completed.count(-kept_completed.size(uid))
  local known = redis.call('HMGET', completed_messages, uid .. '/id', uid .. '/tags')
  local id, tagged = known[1], known[2]
  if id and redis.call('HGET', completed_messages, 'i:' .. id) == uid then
    redis.call('HDEL', completed_messages, 'i:' .. id)
  end
  if tagged then
    change_completed_tags(uid, tagged, 'ZREM')
  end
  redis.call('HDEL', completed_messages, uid, uid .. '/result', uid .. '/id', uid .. '/tags')
  kept_completed.forget_work(uid)
  return true
end
