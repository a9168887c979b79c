-- What is kept of dead messages, and how many bytes that is: envelopes, causes and histories, in the field @bytes of dead:messages,
-- which is there while it is not 0.
--
-- reads    dead, dead_messages, now
-- sets     DEAD_BYTES, count_dead, dead_size, keep_dead
local DEAD_BYTES = '@bytes'

-- dead_size(uid): how many bytes are kept of a dead message.
local function dead_size(uid)
  return redis.call('HSTRLEN', dead_messages, uid) + redis.call('HSTRLEN', dead_messages, uid .. '/cause')
    + redis.call('HSTRLEN', dead_messages, uid .. '/history')
end

-- count_dead(bytes): so many bytes came, or went if that is less than 0.
local function count_dead(bytes)
  if bytes ~= 0 and redis.call('HINCRBY', dead_messages, DEAD_BYTES, bytes) <= 0 then
    redis.call('HDEL', dead_messages, DEAD_BYTES)
  end
end

-- keep_dead(uid, body, cause, lines): a message is dead from now on. After Redis went back in time it may have been so before.
local function keep_dead(uid, body, cause, lines)
  local before = redis.call('ZADD', dead, now, uid) == 0 and dead_size(uid) or 0
  redis.call('HSET', dead_messages, uid, body, uid .. '/cause', cause)
  if lines then
    redis.call('HSET', dead_messages, uid .. '/history', lines)
  end
  count_dead(dead_size(uid) - before)
end
