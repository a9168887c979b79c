-- remove_far(messages, meta, far, chunks, uid): removes a far message, but for what near ones have as well. A chunk of which it cannot
-- be read how many messages it has stays.
--
-- reads    far_of
-- sets     remove_far
local function remove_far(messages, meta, far, chunks, uid)
  local parts, head = far_of(), redis.call('HGET', meta, 'far')
  local chunk, _, bucket, others = parts.line(messages, head, uid)
  local count, next_chunk, buckets, there, rest = parts.numbers(head)
  if others == '' then
    redis.call('HDEL', messages, bucket)
    there = there - 1
  else
    redis.call('HSET', messages, bucket, others)
  end
  if count == '1' then
    redis.call('HDEL', meta, 'far')
  else
    redis.call('HSET', meta, 'far', string.format('%d %s %s %d%s', math.max(0, count - 1), next_chunk, buckets, there, rest))
  end
  local left, behind = parts.left(chunks, chunk)
  if left == '1' then
    redis.call('HDEL', chunks, chunk, 'n' .. chunk)
    redis.call('ZREM', far, chunk)
  elseif left then
    redis.call('HSET', chunks, 'n' .. chunk, string.format('%d%s', left - 1, behind))
  end
end
