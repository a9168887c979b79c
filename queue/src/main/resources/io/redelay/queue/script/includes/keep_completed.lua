-- How messages are completed, and how those are removed that were completed too long ago.
--
-- reads    change_completed_tags, completed, completed_messages, completed_tags, forget_completed, kept_completed, now
-- sets     keep_completed, keep_result, trim_completed
local any_completed_tags -- whether any of them has tags; nil before the first look-up

-- keep_completed(uid, id, body, recorded, tagged): a message is done; id is '' if it has none. After Redis went back in time it may be
-- completed already. recorded: the result of work_of, of which the checkpoint is not kept. tagged: the result of tags_before.
local function keep_completed(uid, id, body, recorded, tagged)
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
  if recorded then
    kept_completed.keep_work(uid, recorded)
  end
  kept_completed.count(kept_completed.size(uid))
end

-- keep_result(uid, result): keeps what the handler of a completed message returned. Gives the id of the message, or else its uid.
local function keep_result(uid, result)
  if redis.call('ZSCORE', completed, uid) then
    local before = redis.call('HSTRLEN', completed_messages, uid .. '/result')
    redis.call('HSET', completed_messages, uid .. '/result', result)
    kept_completed.count(#result - before)
  end
  return redis.call('HGET', completed_messages, uid .. '/id') or uid
end

-- trim_completed(max_age, max_count, max_bytes, steps): removes the oldest ones beyond these bounds, and lets the keys expire when
-- the youngest is too old. Gives how many steps are left.
local function trim_completed(max_age, max_count, max_bytes, steps)
  while steps > 0 do
    local oldest = redis.call('ZRANGE', completed, 0, 0, 'WITHSCORES')
    if not oldest[1] or now - tonumber(oldest[2]) <= max_age and redis.call('ZCARD', completed) <= max_count
        and (tonumber(redis.call('HGET', completed_messages, kept_completed.BYTES)) or 0) <= max_bytes then
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
