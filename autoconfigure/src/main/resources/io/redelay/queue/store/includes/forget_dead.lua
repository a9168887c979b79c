-- forget_dead(uid): removes a dead message and what is known of it but its id. If it holds its ordering key, that goes on.
--
-- reads    count_dead, dead, dead_ids, dead_messages, dead_size, displaced_entry, forget_dead_work, ids, index
-- sets     forget_dead
local any_ordered -- whether any message has an ordering key; looked for once
local function forget_dead(uid)
  if any_ordered == nil then
    any_ordered = redis.call('EXISTS', index.order) == 1
  end
  local attributes = any_ordered and redis.call('HGET', dead_messages, uid .. '/keys')
  if attributes and index.traits(attributes).holds then
    index.pass_on({ uid }, { index.traits(attributes).ordering_key })
  end
  local id = redis.call('HGET', ids, 'u:' .. uid)
  if id then
    redis.call('ZREM', dead_ids, displaced_entry(id, uid))
  end
  count_dead(-dead_size(uid))
  forget_dead_work(uid)
  redis.call('ZREM', dead, uid)
  redis.call('HDEL', dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to', uid .. '/keys')
end
