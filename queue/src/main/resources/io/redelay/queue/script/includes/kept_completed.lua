-- completed_of(completed, completed_messages, completed_tags, now): data of completed messages: envelopes, results and handlers'
-- records; see kept. completed_tags has members as `tags` has; it is a key of its own because it expires when the youngest completed
-- message is too old.
--
-- reads    call_all
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
    call_all(command, completed_tags, members)
  end

  -- forget(uids, bytes): removes completed messages, or one that may not be there, and all their data. bytes: how many these are, if
  -- that is known.
  kept.forget = function(uids, bytes)
    if redis.call('ZREM', completed, unpack(uids)) == 0 then
      return
    end
    local asked, gone, sum = {}, {}, bytes or 0
    for i, uid in ipairs(uids) do
      asked[2 * i - 1], asked[2 * i] = uid .. '/id', uid .. '/tags'
      sum = bytes and sum or sum + kept.size(uid)
    end
    kept.count(-sum)
    local known = redis.call('HMGET', completed_messages, unpack(asked))
    for i, uid in ipairs(uids) do
      local id, tagged, n = known[2 * i - 1], known[2 * i], #gone
      gone[n + 1], gone[n + 2] = uid, uid .. '/result'
      if id then
        gone[n + 3] = asked[2 * i - 1]
        gone[n + 4] = redis.call('HGET', completed_messages, 'i:' .. id) == uid and 'i:' .. id or nil
      end
      if tagged then
        gone[#gone + 1] = asked[2 * i]
        change_tags(uid, tagged, 'ZREM')
      end
      kept.forget_work(uid)
    end
    call_all('HDEL', completed_messages, gone)
  end

  local any_tags -- whether any of them has tags; nil before the first look-up

  -- keep(all): messages are done. Of each its uid, its id or '', body, and if there are any: recorded, the result of work_of, of which
  -- the checkpoint is not kept; tags, the result of tags_before; result, what its handler returned. After Redis went back in time one
  -- may be completed already.
  kept.keep = function(all)
    local uids, scores, fields, bytes = {}, {}, {}, 0
    for i, each in ipairs(all) do
      uids[i], scores[2 * i - 1], scores[2 * i] = each.uid, now, each.uid
    end
    for i, before in ipairs(redis.call('ZMSCORE', completed, unpack(uids))) do
      if before then
        kept.forget({ uids[i] })
      end
    end
    call_all('ZADD', completed, scores)
    for _, each in ipairs(all) do
      local uid, n = each.uid, #fields
      fields[n + 1], fields[n + 2] = uid, each.body
      if each.id ~= '' then
        fields[n + 3], fields[n + 4], fields[n + 5], fields[n + 6] = uid .. '/id', each.id, 'i:' .. each.id, uid
      end
      for part, text in pairs({ ['/tags'] = each.tags, ['/result'] = each.result }) do
        n = #fields
        fields[n + 1], fields[n + 2] = uid .. part, text
      end
      if each.tags then
        change_tags(uid, each.tags, 'ZADD', 0)
        any_tags = true
      end
      if each.recorded then
        kept.keep_work(uid, each.recorded)
      end
      bytes = bytes + #each.body + #(each.result or '')
      for part, text in pairs(each.recorded or {}) do
        bytes = bytes + (part ~= '/checkpoint' and text and #text or 0)
      end
    end
    call_all('HSET', completed_messages, fields)
    kept.count(bytes)
  end

  -- trim(max_age, max_count, max_bytes, steps): removes the oldest ones beyond these bounds, and lets the keys expire when
  -- the youngest is too old. Gives how many steps are left.
  kept.trim = function(max_age, max_count, max_bytes, steps)
    local bytes, last_is_over = tonumber(redis.call('HGET', completed_messages, kept.BYTES)) or 0, true
    while steps > 0 and last_is_over do
      local excess = redis.call('ZCARD', completed) - max_count
      local oldest = redis.call('ZRANGE', completed, 0, math.min(steps, math.max(excess, 1)) - 1, 'WITHSCORES')
      last_is_over = #oldest > 0
      local over, before = {}, bytes
      for i = 1, #oldest, 2 do
        last_is_over = i < 2 * excess or now - tonumber(oldest[i + 1]) > max_age or bytes > max_bytes
        if not last_is_over then
          break
        end
        over[#over + 1] = oldest[i]
        bytes = bytes - kept.size(oldest[i])
      end
      if #over > 0 then
        kept.forget(over, before - bytes)
        steps = steps - #over
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
