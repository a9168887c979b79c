-- forget_dead(kept, index, ids, dead_ids, uid): removes a dead message and its data but its id. If it holds its ordering key, the next
-- message gets the turn. kept: see kept_dead.
--
-- reads    displaced_entry
-- sets     forget_dead
local function forget_dead(kept, index, ids, dead_ids, uid)
  if kept.any_indexed == nil then -- whether any message has an ordering key or tags
    kept.any_indexed = redis.call('EXISTS', index.order, index.tags) > 0
  end
  local attributes = kept.any_indexed and redis.call('HGET', kept.messages, uid .. '/keys')
  if attributes then
    index.untag({ uid, attributes })
  end
  if attributes and index.traits(attributes).holds then
    index.pass_turn({ uid }, { index.traits(attributes).ordering_key })
  end
  local id = redis.call('HGET', ids, 'u:' .. uid)
  if id then
    redis.call('ZREM', dead_ids, displaced_entry(kept.dead, uid, id))
  end
  kept.count(-kept.size(uid))
  kept.forget_work(uid)
  redis.call('ZREM', kept.dead, uid)
  redis.call('HDEL', kept.messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to', uid .. '/keys')
end
