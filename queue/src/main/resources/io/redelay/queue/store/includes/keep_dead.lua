-- Data of dead messages: envelopes, causes, histories and handlers' records. The field @bytes of dead:messages counts their bytes;
-- it is there while it is not 0. @work counts, likewise, the messages of which handlers recorded something.
--
-- reads    dead, dead_messages, now
-- sets     DEAD_BYTES, count_dead, dead_size, forget_dead_work, keep_dead
--@paste plus
local DEAD_BYTES, DEAD_WORK = '@bytes', '@work'

local any_dead_work -- whether handlers recorded something of any of them; looked up once
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

-- count_dead(bytes): adds to the count of bytes; a number less than 0 subtracts.
local function count_dead(bytes)
  if bytes ~= 0 and plus(dead_messages, DEAD_BYTES, bytes) <= 0 then
    redis.call('HDEL', dead_messages, DEAD_BYTES)
  end
end

-- forget_dead_work(uid): removes what handlers recorded of a dead message.
local function forget_dead_work(uid)
  if has_dead_work() and redis.call('HDEL', dead_messages, uid .. '/checkpoint', uid .. '/progress', uid .. '/log') > 0
      and plus(dead_messages, DEAD_WORK, -1) <= 0 then
    redis.call('HDEL', dead_messages, DEAD_WORK)
  end
end

-- keep_dead(uid, body, cause, lines, told): a message is dead from now on. After Redis went back in time it may be dead already.
-- told: the result of work_of.
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
