-- What is kept of messages that are done, and how many bytes that is: envelopes, results, and what handlers told of
-- them, in the field @bytes of completed:messages, which is there while it is not 0. @work: of how many handlers told something,
-- likewise.
--
-- reads    completed, completed_messages, dead, messages, now
-- sets     COMPLETED_BYTES, forget_completed, keep_completed, keep_result, named_or_completed, trim_completed
local COMPLETED_BYTES, COMPLETED_WORK = '@bytes', '@work'

local any_completed_work -- whether handlers told something of any of them; looked for once
local function has_completed_work()
  if any_completed_work == nil then
    any_completed_work = redis.call('HEXISTS', completed_messages, COMPLETED_WORK) == 1
  end
  return any_completed_work
end

local function completed_size(uid)
  local size = redis.call('HSTRLEN', completed_messages, uid) + redis.call('HSTRLEN', completed_messages, uid .. '/result')
  if has_completed_work() then
    size = size + redis.call('HSTRLEN', completed_messages, uid .. '/progress')
      + redis.call('HSTRLEN', completed_messages, uid .. '/log')
  end
  return size
end

local function count_completed(bytes)
  if bytes ~= 0 and redis.call('HINCRBY', completed_messages, COMPLETED_BYTES, bytes) <= 0 then
    redis.call('HDEL', completed_messages, COMPLETED_BYTES)
  end
end

-- forget_completed(uid): removes a completed message and all that is known of it. Gives whether it was there.
local function forget_completed(uid)
  if redis.call('ZREM', completed, uid) == 0 then
    return false
  end
  count_completed(-completed_size(uid))
  local id = redis.call('HGET', completed_messages, uid .. '/id')
  if id and redis.call('HGET', completed_messages, 'i:' .. id) == uid then
    redis.call('HDEL', completed_messages, 'i:' .. id)
  end
  redis.call('HDEL', completed_messages, uid, uid .. '/result', uid .. '/id')
  if has_completed_work() and redis.call('HDEL', completed_messages, uid .. '/progress', uid .. '/log') > 0
      and redis.call('HINCRBY', completed_messages, COMPLETED_WORK, -1) <= 0 then
    redis.call('HDEL', completed_messages, COMPLETED_WORK)
  end
  return true
end

-- keep_completed(uid, id, body, told): a message is done; id is '' if it has none. After Redis went back in time it may have been
-- done before. told: what work_of gave; its checkpoint is of no use any more.
local function keep_completed(uid, id, body, told)
  forget_completed(uid)
  redis.call('ZADD', completed, now, uid)
  redis.call('HSET', completed_messages, uid, body)
  if id ~= '' then
    redis.call('HSET', completed_messages, uid .. '/id', id, 'i:' .. id, uid)
  end
  if told and (told[2] or told[3]) then
    for i, name in ipairs({ '', '/progress', '/log' }) do
      if name ~= '' and told[i] then
        redis.call('HSET', completed_messages, uid .. name, told[i])
      end
    end
    redis.call('HINCRBY', completed_messages, COMPLETED_WORK, 1)
    any_completed_work = true
  end
  count_completed(completed_size(uid))
end

-- keep_result(uid, result): keeps what the handler of a completed message returned. Gives the id of the message, or else its uid.
local function keep_result(uid, result)
  if redis.call('ZSCORE', completed, uid) then
    local before = redis.call('HSTRLEN', completed_messages, uid .. '/result')
    redis.call('HSET', completed_messages, uid .. '/result', result)
    count_completed(#result - before)
  end
  return redis.call('HGET', completed_messages, uid .. '/id') or uid
end

-- trim_completed(max_age, max_count, max_bytes, steps): removes the oldest ones beyond these bounds, and has all go when the
-- youngest is too old. Gives how many steps are left.
local function trim_completed(max_age, max_count, max_bytes, steps)
  while steps > 0 do
    local oldest = redis.call('ZRANGE', completed, 0, 0, 'WITHSCORES')
    if not oldest[1] or now - tonumber(oldest[2]) <= max_age and redis.call('ZCARD', completed) <= max_count
        and tonumber(redis.call('HGET', completed_messages, COMPLETED_BYTES) or 0) <= max_bytes then
      break
    end
    forget_completed(oldest[1])
    steps = steps - 1
  end
  redis.call('PEXPIRE', completed, max_age)
  redis.call('PEXPIRE', completed_messages, max_age)
  return steps
end

-- named_or_completed(uid, name): the uid, unless its message does not live, and one of this id was completed after that died.
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
