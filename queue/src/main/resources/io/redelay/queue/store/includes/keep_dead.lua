-- What is kept of dead messages, and how many bytes that is: envelopes, causes, histories and what handlers told of them, in
-- the field @bytes of dead:messages, which is there while it is not 0. @work: of how many handlers told something, likewise.
--
-- reads    dead, dead_messages, now
-- sets     DEAD_BYTES, count_dead, dead_size, forget_dead_work, keep_dead
--@include plus
local DEAD_BYTES, DEAD_WORK = '@bytes', '@work'

local any_dead_work -- whether handlers told something of any of them; looked for once
local function has_dead_work()
  if any_dead_work == nil then
    any_dead_work = redis.call('HEXISTS', dead_messages, DEAD_WORK) == 1
  end
  return any_dead_work
end

-- dead_size(uid): how many bytes are kept of a dead message.
local function dead_size(uid)
  local size = redis.call('HSTRLEN', dead_messages, uid) + redis.call('HSTRLEN', dead_messages, uid .. '/cause')
    + redis.call('HSTRLEN', dead_messages, uid .. '/history')
  if has_dead_work() then
    size = size + redis.call('HSTRLEN', dead_messages, uid .. '/checkpoint') + redis.call('HSTRLEN', dead_messages, uid .. '/progress')
      + redis.call('HSTRLEN', dead_messages, uid .. '/log')
  end
  return size
end

-- count_dead(bytes): so many bytes came, or went if that is less than 0.
local function count_dead(bytes)
  if bytes ~= 0 and plus(dead_messages, DEAD_BYTES, bytes) <= 0 then
    redis.call('HDEL', dead_messages, DEAD_BYTES)
  end
end

-- forget_dead_work(uid): takes away what handlers told of a dead message.
local function forget_dead_work(uid)
  if has_dead_work() and redis.call('HDEL', dead_messages, uid .. '/checkpoint', uid .. '/progress', uid .. '/log') > 0
      and plus(dead_messages, DEAD_WORK, -1) <= 0 then
    redis.call('HDEL', dead_messages, DEAD_WORK)
  end
end

-- keep_dead(uid, body, cause, lines, told): a message is dead from now on. After Redis went back in time it may have been so before.
-- told: what work_of gave.
local function keep_dead(uid, body, cause, lines, told)
  local before = redis.call('ZADD', dead, now, uid) == 0 and dead_size(uid) or 0
  redis.call('HSET', dead_messages, uid, body, uid .. '/cause', cause)
  if lines then
    redis.call('HSET', dead_messages, uid .. '/history', lines)
  end
  forget_dead_work(uid)
  if told then
    for i, name in ipairs({ '/checkpoint', '/progress', '/log' }) do
      if told[i] then
        redis.call('HSET', dead_messages, uid .. name, told[i])
      end
    end
    plus(dead_messages, DEAD_WORK, 1)
    any_dead_work = true
  end
  count_dead(dead_size(uid) - before)
end
