-- Data of completed messages: envelopes, results and handlers' records. The field @bytes of completed:messages counts their bytes; it
-- is there while it is not 0. @work counts, likewise, the messages of which handlers recorded something. completed:tags has members
-- as `tags` has; it is a key of its own because it expires when the youngest completed message is too old.
--
-- reads    completed, completed_messages, completed_tags, now
-- sets     COMPLETED_BYTES, forget_completed, keep_completed, keep_result, trim_completed
--@paste plus
local COMPLETED_BYTES, COMPLETED_WORK = '@bytes', '@work'

local any_completed_work -- whether handlers recorded something of any of them; looked up once
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
  if bytes ~= 0 and plus(completed_messages, COMPLETED_BYTES, bytes) <= 0 then
    redis.call('HDEL', completed_messages, COMPLETED_BYTES)
  end
end

local any_completed_tags -- whether any of them has tags; nil before the first look-up

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
  count_completed(-completed_size(uid))
  local known = redis.call('HMGET', completed_messages, uid .. '/id', uid .. '/tags')
  local id, tagged = known[1], known[2]
  if id and redis.call('HGET', completed_messages, 'i:' .. id) == uid then
    redis.call('HDEL', completed_messages, 'i:' .. id)
  end
  if tagged then
    change_completed_tags(uid, tagged, 'ZREM')
  end
  redis.call('HDEL', completed_messages, uid, uid .. '/result', uid .. '/id', uid .. '/tags')
  if has_completed_work() and redis.call('HDEL', completed_messages, uid .. '/progress', uid .. '/log') > 0
      and plus(completed_messages, COMPLETED_WORK, -1) <= 0 then
    redis.call('HDEL', completed_messages, COMPLETED_WORK)
  end
  return true
end

-- keep_completed(uid, id, body, told, tagged): a message is done; id is '' if it has none. After Redis went back in time it may be
-- completed already. told: the result of work_of, of which the checkpoint is not kept. tagged: the result of tags_before.
local function keep_completed(uid, id, body, told, tagged)
  forget_completed(uid)
  redis.call('ZADD', completed, now, uid)
  redis.call('HSET', completed_messages, uid, body)
  if id ~= '' then
    redis.call('HSET', completed_messages, uid .. '/id', id, 'i:' .. id, uid)
  end
  if tagged then
    redis.call('HSET', completed_messages, uid .. '/tags', tagged)
    change_completed_tags(uid, tagged, 'ZADD', 0)
    any_completed_tags = true
  end
  if told and (told[2] or told[3]) then
    for i, name in ipairs({ '', '/progress', '/log' }) do
      if name ~= '' and told[i] then
        redis.call('HSET', completed_messages, uid .. name, told[i])
      end
    end
    plus(completed_messages, COMPLETED_WORK, 1)
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

-- trim_completed(max_age, max_count, max_bytes, steps): removes the oldest ones beyond these bounds, and lets the keys expire when
-- the youngest is too old. Gives how many steps are left.
local function trim_completed(max_age, max_count, max_bytes, steps)
  while steps > 0 do
    local oldest = redis.call('ZRANGE', completed, 0, 0, 'WITHSCORES')
    if not oldest[1] or now - tonumber(oldest[2]) <= max_age and redis.call('ZCARD', completed) <= max_count
        and (tonumber(redis.call('HGET', completed_messages, COMPLETED_BYTES)) or 0) <= max_bytes then
      break
    end
    forget_completed(oldest[1])
    steps = steps - 1
  end
  redis.call('PEXPIRE', completed, max_age)
  redis.call('PEXPIRE', completed_messages, max_age)
  if any_completed_tags ~= false then
    any_completed_tags = redis.call('PEXPIRE', completed_tags, max_age) == 1
  end
  return steps
end
