-- completed_of(completed, completed_messages, completed_tags, now): data of completed messages: envelopes, results and handlers'
-- records; see kept. completed_tags has members as `tags` has; it is a key of its own because it expires when the youngest completed
-- message is too old.
--
-- reads    nothing
-- sets     completed_of
--@include kept
local function completed_of(completed, completed_messages, completed_tags, now)
  local kept = kept_of(completed_messages, { '/result' }, { '/progress', '/log' })

  -- Calls Redis with the members of the tags of a completed message. text: its tags, with line feeds between.
  local function change_tags(uid, text, command, score)
    local members = {}
    for name in string.gmatch(text, '[^\n]+') do
      members[#members + 1] = score
      members[#members + 1] = name .. '\0' .. uid
    end
    if #members > 0 then
      redis.call(command, completed_tags, unpack(members))
    end
  end

  -- forget(uid): removes a completed message and all its data. Gives how many bytes these were, or false if it was not there.
  kept.forget = function(uid)
    if redis.call('ZREM', completed, uid) == 0 then
      return false
    end
    local bytes = kept.size(uid)
    kept.count(-bytes)
    local known = redis.call('HMGET', completed_messages, uid .. '/id', uid .. '/tags')
    local id, tagged = known[1], known[2]
    if id and redis.call('HGET', completed_messages, 'i:' .. id) == uid then
      redis.call('HDEL', completed_messages, 'i:' .. id)
    end
    if tagged then
      change_tags(uid, tagged, 'ZREM')
    end
    redis.call('HDEL', completed_messages, uid, uid .. '/result', uid .. '/id', uid .. '/tags')
    kept.forget_work(uid)
    return bytes
  end

  local any_tags -- whether any of them has tags; nil before the first look-up

  -- keep(uid, id, body, recorded, tagged): a message is done; id is '' if it has none. After Redis went back in time it may be
  -- completed already. recorded: the result of work_of, of which the checkpoint is not kept. tagged: the result of tags_before.
  kept.keep = function(uid, id, body, recorded, tagged)
    if redis.call('ZADD', completed, now, uid) == 0 then
      kept.forget(uid)
      redis.call('ZADD', completed, now, uid)
    end
    redis.call('HSET', completed_messages, uid, body)
    if id ~= '' then
      redis.call('HSET', completed_messages, uid .. '/id', id, 'i:' .. id, uid)
    end
    if tagged then
      redis.call('HSET', completed_messages, uid .. '/tags', tagged)
      change_tags(uid, tagged, 'ZADD', 0)
      any_tags = true
    end
    if recorded then
      kept.keep_work(uid, recorded)
    end
    kept.count(recorded and kept.size(uid) or #body)
  end

  -- keep_result(uid, result): keeps what the handler of a completed message returned. Gives the id of the message, or else its uid.
  kept.keep_result = function(uid, result)
    if redis.call('ZSCORE', completed, uid) then
      local before = redis.call('HSTRLEN', completed_messages, uid .. '/result')
      redis.call('HSET', completed_messages, uid .. '/result', result)
      kept.count(#result - before)
    end
    return redis.call('HGET', completed_messages, uid .. '/id') or uid
  end

  -- trim(max_age, max_count, max_bytes, steps): removes the oldest ones beyond these bounds, and lets the keys expire when
  -- the youngest is too old. Gives how many steps are left.
  kept.trim = function(max_age, max_count, max_bytes, steps)
    local bytes, last_is_over = tonumber(redis.call('HGET', completed_messages, kept.BYTES)) or 0, true
    while steps > 0 and last_is_over do
      local excess = redis.call('ZCARD', completed) - max_count
      local oldest = redis.call('ZRANGE', completed, 0, math.min(steps, math.max(excess, 1)) - 1, 'WITHSCORES')
      last_is_over = #oldest > 0
      for i = 1, #oldest, 2 do
        last_is_over = i < 2 * excess or now - tonumber(oldest[i + 1]) > max_age or bytes > max_bytes
        if not last_is_over then
          break
        end
        bytes = bytes - (kept.forget(oldest[i]) or 0)
        steps = steps - 1
      end
    end
    redis.call('PEXPIRE', completed, max_age)
    redis.call('PEXPIRE', completed_messages, max_age)
    if any_tags ~= false then
      any_tags = redis.call('PEXPIRE', completed_tags, max_age) == 1
    end
    return steps
  end
  return kept
end
