-- What handlers record of living messages: uid/checkpoint, uid/progress, uid/log and uid/written of `work`; see work.
--
-- reads    nothing
-- changes  index
-- sets     nothing

-- keeps_work(): whether anything is kept; looked up once.
index.keeps_work = function()
  if index.any_work == nil then
    index.any_work = redis.call('EXISTS', index.work) == 1
  end
  return index.any_work
end

-- forget_work(uids): removes the records of messages that are gone, or have another uid.
index.forget_work = function(uids)
  if #uids == 0 or not index.keeps_work() then
    return
  end
  local fields = {}
  for _, uid in ipairs(uids) do
    local n = #fields
    fields[n + 1], fields[n + 2] = uid .. '/checkpoint', uid .. '/progress'
    fields[n + 3], fields[n + 4] = uid .. '/log', uid .. '/written'
  end
  redis.call('HDEL', index.work, unpack(fields))
end

-- work_of(uid): the checkpoint, the progress and the log of a message, by /checkpoint and so on; nil if it has none of them.
index.work_of = function(uid)
  local recorded = index.keeps_work() and redis.call('HMGET', index.work, uid .. '/checkpoint', uid .. '/progress', uid .. '/log')
  return recorded and (recorded[1] or recorded[2] or recorded[3])
    and { ['/checkpoint'] = recorded[1], ['/progress'] = recorded[2], ['/log'] = recorded[3] } or nil
end

-- keep_work(uid, recorded): gives a message that was redriven or has another uid the result of work_of.
index.keep_work = function(uid, recorded)
  for _, name in ipairs({ '/checkpoint', '/progress', '/log' }) do
    if recorded[name] then
      redis.call('HSET', index.work, uid .. name, recorded[name])
    end
  end
  redis.call('HSET', index.meta, 'keyed', '1', 'work', '1')
  index.any_work = true
end
