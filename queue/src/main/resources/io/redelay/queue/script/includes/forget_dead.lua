-- forget_dead(uid): removes a dead message and its data but its id. If it holds its ordering key, it passes on the turn.
--
-- reads    dead, dead_ids, dead_messages, displaced_entry, ids, index, kept_dead
-- sets     forget_dead
local any_indexed -- whether any message has an ordering key or tags; looked up once
local function forget_dead(uid)
  if any_indexed == nil then
    any_indexed = redis.call('EXISTS', index.order, index.tags) > 0
  end
  local attributes = any_indexed and redis.call('HGET', dead_messages, uid .. '/keys')
  if attributes then
    index.untag({ uid, attributes })
  end
  if attributes and index.traits(attributes).holds then
    index.pass_on({ uid }, { index.traits(attributes).ordering_key })
  end
  local id = redis.call('HGET', ids, 'u:' .. uid)
  if id then
    redis.call('ZREM', dead_ids, displaced_entry(id, uid))
  end
  kept_dead.count(-kept_dead.size(uid))
  kept_dead.forget_work(uid)
  redis.call('ZREM', dead, uid)
  redis.call('HDEL', dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to', uid .. '/keys')
end
