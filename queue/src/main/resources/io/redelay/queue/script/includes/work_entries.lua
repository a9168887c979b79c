-- What handlers record of living messages: uid/checkpoint, uid/progress, uid/log and uid/written of `work`; see work.
--
-- reads    meta, work
-- sets     forget_work, keep_work, keeps_work, work_of

local any_work -- whether anything is kept; looked up once
local function keeps_work()
  if any_work == nil then
    any_work = redis.call('EXISTS', work) == 1
  end
  return any_work
end

-- forget_work(uids): removes the records of messages that are gone, or have another uid.
local function forget_work(uids)
  if #uids == 0 or not keeps_work() then
    return
  end
  local fields = {}
  for _, uid in ipairs(uids) do
    local n = #fields
    fields[n + 1], fields[n + 2] = uid .. '/checkpoint', uid .. '/progress'
    fields[n + 3], fields[n + 4] = uid .. '/log', uid .. '/written'
  end
  redis.call('HDEL', work, unpack(fields))
end

-- work_of(uid): the checkpoint, the progress and the log of a message, by /checkpoint and so on; nil if it has none of them.
local RECORDS = { '/checkpoint', '/progress', '/log' }
local function work_of(uid)
  local recorded = keeps_work() and redis.call('HMGET', work, uid .. RECORDS[1], uid .. RECORDS[2], uid .. RECORDS[3])
  return recorded and (recorded[1] or recorded[2] or recorded[3])
    and { [RECORDS[1]] = recorded[1], [RECORDS[2]] = recorded[2], [RECORDS[3]] = recorded[3] } or nil
end

-- keep_work(uid, recorded): gives a message that was redriven or has another uid the result of work_of.
local function keep_work(uid, recorded)
  for _, name in ipairs(RECORDS) do
    if recorded[name] then
      redis.call('HSET', work, uid .. name, recorded[name])
    end
  end
  redis.call('HSET', meta, 'keyed', '1', 'work', '1')
  any_work = true
end
