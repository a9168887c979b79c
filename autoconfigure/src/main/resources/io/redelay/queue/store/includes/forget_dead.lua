-- forget_dead(uid): removes a dead message and what is known of it but its id.
--
-- reads    dead, dead_ids, dead_messages, displaced_entry, ids
-- sets     forget_dead
local function forget_dead(uid)
  local id = redis.call('HGET', ids, 'u:' .. uid)
  if id then
    redis.call('ZREM', dead_ids, displaced_entry(id, uid))
  end
  redis.call('ZREM', dead, uid)
  redis.call('HDEL', dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to')
end
