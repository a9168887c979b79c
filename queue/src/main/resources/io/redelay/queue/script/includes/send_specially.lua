-- add_specially(KEYS, ARGV, now, stamp, only_looks, settings): how a send adds messages of which some have an id or are due later, or
-- to a queue of limited length; see send_to. settings: longest, closed, line and far of meta. Gives the refusal, FULL or OVERDUE, or nil;
-- then, unless it only looks: how long the longest envelope is, whether any message is ready, whether any is scheduled, and words for
-- the reply.
--
--@keys-of send
-- reads    BODILESS, LOST, OWN_FIELD, call_all, deadline_of, displace, due_time, expiry, far_of, forget_living, free_id,
--          index_of, line_length, messages_in, new_expiry, remove_far, remove_from, turn_taker
-- sets     add_specially
local function add_specially(KEYS, ARGV, now, stamp, only_looks, settings)
  local messages, ready, meta, packed = KEYS.messages, KEYS.ready, KEYS.meta, ARGV[4]
  local scheduled, ids, tries, history, expiries = KEYS.scheduled, KEYS.ids, KEYS.tries, KEYS.history, KEYS.expiries
  local dead, dead_ids, suspects, held, past = KEYS.dead, KEYS.dead_ids, KEYS.suspects, KEYS.held, KEYS.past
  -- How to deal with messages that have keys or priorities, if there may be any.
  local index = KEYS.keys and index_of(KEYS, KEYS_AT.keys, messages, ready, dead, meta, now)
  if index then
    index.scheduled, index.tries, index.history, index.expiries = scheduled, tries, history, expiries
  end
  local times = '{"sentAt":' .. stamp .. ','
  local longest = 0 -- of the envelopes that are added, bytes
  local any_now, any_later = false, false -- whether any message is ready, or scheduled
  local most, drops, line, refuses_late = string.match(ARGV[5] or '', '^(%d*)(!?)/?(%-?%d*)(<?)$')
  most = tonumber(most)
  local take_turn -- see there
  local hold_back = tonumber(string.match(ARGV[6] or '', '^%d+'))
  line = index and not hold_back and line ~= '-' and tonumber(string.match(settings[3] or line, '^%-?%d+')) -- of an ordering key, if it is limited
  if hold_back then
    -- A claim waits for lanes that Redis knows, see await_lanes. Other lanes only get time, that of a renewal. A lane that was just
    -- opened, or renewed, does not show that Redis knows any.
    local UNKNOWN_MS, HAS_CLAIMED = 10000, '^%d+|%d+|[^?]'
    local known, knows = redis.call('ZRANGE', KEYS.lanes, 0, 99), false
    for n, name in ipairs(known) do
      known[n] = OWN_FIELD .. name
    end
    for _, entry in ipairs(#known > 0 and redis.call('HMGET', held, unpack(known)) or {}) do
      knows = knows or entry and string.find(entry, HAS_CLAIMED)
    end
    if not knows or redis.call('SISMEMBER', past, LOST) == 1 then
      hold_back = math.max(hold_back, UNKNOWN_MS)
    end
  end
  local bodies, due_now, due_later, ending = {}, {}, {}, {}
  local keyed = {} -- uid, attributes and so on, of those that have some
  local held_back = {} -- those of them that are sent again and were due: they line up now, though they are due later
  local joins_now = false -- whether the message that is being added was due
  local mine = {} -- id -> uid and due time of the messages of this request
  local reply_words = {} -- words for the reply: duplicates and dropped messages

  local function flush()
    call_all('HSET', messages, bodies)
    if #keyed > 0 then
      redis.call('HSET', index.keys, unpack(keyed))
      index.tag(keyed)
      redis.call('HSET', meta, 'keyed', '1')
    end
    if #due_now > 0 and #keyed > 0 then
      any_now = index.place(due_now) > 0 or any_now
    elseif #due_now > 0 then
      redis.call('RPUSH', ready, unpack(due_now))
      any_now = true
    end
    for _, uid in ipairs(#held_back > 0 and index.line_up(held_back) or {}) do
      local n = #due_later
      due_later[n + 1], due_later[n + 2] = now + hold_back, uid
    end
    if #due_later > 0 then
      redis.call('ZADD', scheduled, unpack(due_later))
      any_later = true
    end
    if #ending > 0 then
      redis.call('ZADD', expiries, unpack(ending))
      if index then
        index.has_expiries = true
      end
    end
    bodies, due_now, due_later, ending, keyed, held_back = {}, {}, {}, {}, {}, {}
  end

  -- add(uid, due, body, attributes): puts a message in its place. Gives its envelope.
  local function add(uid, due, body, attributes)
    local ends = new_expiry(times, body, math.max(due, now), now)
    body = times .. (due > now and '"dueAt":' .. string.format('%.0f', due) .. ',' or '') .. body
    longest = math.max(longest, #body)
    local n = #bodies
    bodies[n + 1], bodies[n + 2] = uid, body
    if attributes then
      n = #keyed
      keyed[n + 1], keyed[n + 2] = uid, attributes
    end
    if ends then
      local last = #ending
      ending[last + 1], ending[last + 2] = ends, uid
    end
    if hold_back or KEYS.handed then -- it may have been there before Redis went back in time
      local holder = redis.call('HGET', held, uid)
      if holder then -- another lane of its consumer has taken it over
        redis.call('HSET', held, uid, string.match(holder, '^[^' .. BODILESS .. ']+'))
        longest = math.max(longest, #body + redis.call('HSTRLEN', KEYS.work, uid .. '/checkpoint'))
        if attributes then
          flush()
          take_turn = take_turn or turn_taker(index, held, remove_from)
          take_turn(uid, attributes)
        end
        return body
      end
      if hold_back then -- an entry that was left behind must not deliver it
        remove_from(ready, uid)
        remove_from(suspects, uid)
      end
    end
    if due <= now then
      due_now[#due_now + 1] = uid
    elseif joins_now and attributes then
      held_back[#held_back + 1] = uid
    else
      n = #due_later
      due_later[n + 1], due_later[n + 2] = due, uid
    end
    if #bodies >= 1000 then
      flush()
    end
    return body
  end

  -- chunk_of(uid): the chunk in which a message is packed, and when it is due; nothing if it is not packed.
  local far_parts, far_count, buckets = settings[4] and far_of(), 0, 0
  if far_parts then
    local _
    far_count, _, _, buckets = far_parts.numbers(settings[4])
    if not far_count then
      error('the packed messages cannot be read')
    end
  end
  local function chunk_of(uid)
    if far_parts then
      return far_parts.line(messages, settings[4], uid)
    end
  end

  -- remove_packed(uid): removes a message that is packed.
  local function remove_packed(uid)
    local fields = redis.call('HLEN', messages)
    remove_far(messages, meta, KEYS.far, KEYS.far_chunks, uid)
    far_count, buckets = far_count - 1, buckets - fields + redis.call('HLEN', messages)
  end

  -- is_there(uid): whether a message that is sent again was added before, or is done.
  local function is_there(uid)
    return redis.call('HEXISTS', messages, uid) == 1 or chunk_of(uid) or redis.call('ZSCORE', dead, uid)
      or redis.call('SISMEMBER', past, uid) == 1 or redis.call('HEXISTS', KEYS.dedup, 'g:' .. uid) == 1
      or redis.call('ZSCORE', KEYS.completed, uid) -- it is completed
  end

  -- living(): how many messages the queue has.
  local function living()
    return redis.call('HLEN', messages) + far_count - buckets
  end

  -- twin(id): the living message that has the id; if there is none, nil and the dead one that has it.
  local function twin(id)
    local other = redis.call('HGET', ids, 'i:' .. id)
    if other and (redis.call('HEXISTS', messages, other) == 1 or chunk_of(other)) then
      return other
    end
    return nil, other
  end

  -- add_unless_twin(position, uid, due, id, body, attributes): adds a message, or names in the reply the one that has its id. Gives
  -- whether it was added.
  local function add_unless_twin(position, uid, due, id, body, attributes)
    local other, other_due, dead_one
    if mine[id] then
      other, other_due = mine[id][1], mine[id][2]
    else
      other, dead_one = twin(id)
      if other then
        local _, packed_due = chunk_of(other)
        other_due = redis.call('ZSCORE', scheduled, other) or packed_due or stamp
      end
    end
    if other then
      local n = #reply_words
      reply_words[n + 1], reply_words[n + 2], reply_words[n + 3] = string.format('%d', position), other, other_due
      if attributes then
        index.note_end(attributes, 'duplicate', '')
      end
    else
      add(uid, due, body, attributes)
      if dead_one then
        displace(dead, dead_ids, dead_one, id)
      end
      mine[id] = { uid, string.format('%.0f', math.max(due, now)) }
      redis.call('HSET', ids, 'i:' .. id, uid, 'u:' .. uid, id)
    end
    return not other
  end

  local rules, add_with_key, adds_with_key, block_again, finish_keys = {}
  if index and ARGV[7] and ARGV[7] ~= '' then
    --@include deduplicate
  end

  local passed_over, remember_handed = {}, nil -- uids of messages that were handed over before
  if KEYS.handed then
    --@include handed
    passed_over, remember_handed = handed_over(KEYS.handed, packed, ARGV[8], is_there, now)
  end

  -- Messages that a limit does not drop, by uid: 'new' if this request adds it, 'original' if the reply names it for a duplicate.
  local spared = {}

  -- drop(excess, steps): drops the messages that have waited longest: suspects, then ready, then scheduled ones. An entry of
  -- a list whose message is gone is a step, too: a queue of which many were cancelled may be too long for a while, but Redis is
  -- not kept busy.
  local function drop(excess, steps)
    local is_keyed = excess > 0 and redis.call('HGET', meta, 'keyed')
    local function drop_one(uid)
      if redis.call('HEXISTS', messages, uid) == 1 then
        excess = excess - 1
        local n = #reply_words
        reply_words[n + 1], reply_words[n + 2], reply_words[n + 3] = '-', uid, '0'
      end
      index.release_keys({ uid }, false)
      forget_living(index, uid)
      free_id(ids, uid)
      if is_keyed then
        index.ended({ uid }, index.attributes_of({ uid }), 'dropped')
      end
    end
    for _, list in ipairs({ suspects, ready }) do
      local put_back = {}
      for _ = 1, steps do
        local uid = excess > 0 and redis.call('LPOP', list)
        if not uid then
          break
        end
        steps = steps - 1
        if spared[uid] then
          put_back[#put_back + 1] = uid
        else
          drop_one(uid)
        end
        if spared[uid] == 'new' then -- as are all behind it
          break
        end
      end
      for n = #put_back, 1, -1 do
        redis.call('LPUSH', list, put_back[n])
      end
    end
    -- The least urgent groups first, and then the lines. There may be a group for each message that this request adds, so
    -- as many are looked at as there are steps.
    local looks = is_keyed and excess > 0 and steps > 0
    local groups = looks and redis.call('ZREVRANGE', index.turns, 0, steps - 1) or {}
    for _, group in ipairs(looks and redis.call('ZRANGE', index.blocked, 0, steps - 1) or {}) do
      groups[#groups + 1] = group
    end
    groups[#groups + 1] = 'o'
    for _, group in ipairs(looks and groups or {}) do
      if excess <= 0 or steps <= 0 then
        break
      end
      local last = group == 'o' and 'p' or group .. '\1'
      local first = '[' .. group .. (group == 'o' and '' or '\0')
      for _, member in ipairs(redis.call('ZRANGEBYLEX', index.waiting, first, '(' .. last, 'LIMIT', 0, math.min(steps, 1000))) do
        local uid = string.sub(member, (string.find(member, '\0', 1, true) or 0) + 32)
        steps = steps - 1
        if excess > 0 and not spared[uid] then
          drop_one(uid)
        end
      end
      -- A group that is empty now must not stand before the others the next time.
      if group ~= 'o' and group ~= index.PLAIN and not redis.call('ZRANGEBYLEX', index.waiting, first, '(' .. last, 'LIMIT', 0, 1)[1] then
        redis.call('ZREM', index.turns, group)
        redis.call('ZREM', index.blocked, group)
        redis.call('HDEL', index.weights, group)
      end
    end
    local passed = 0
    for _ = 1, steps do
      local uid = excess > 0 and redis.call('ZRANGE', scheduled, passed, passed)[1]
      if not uid then
        break
      elseif spared[uid] then
        passed = passed + 1
      else
        drop_one(uid)
      end
    end
  end

  -- A message that is due when its deadline is over is refused, with all others of the request.
  if refuses_late == '<' then
    for position, body, _, when in messages_in(packed) do
      local due, deadline = math.max(now, due_time(when, now)), deadline_of(times .. body)
      if deadline and due >= deadline then
        return string.format('OVERDUE %s %d %.0f %.0f', stamp, position, due, deadline)
      end
    end
  elseif not most then
    local at, length = 1, 0
    while at <= #packed do -- before the first write
      length, at = struct.unpack('>I2', packed, at)
      length, at = struct.unpack('>I4', packed, at + length)
      at = length > 0 and at + length or error('a message has no envelope')
    end
  end
  if most then
    -- How many messages this request adds, and how many originals of its duplicates wait.
    local added, originals, seen, seen_keys = 0, 0, {}, {}
    for position, body, uid, _, id in messages_in(packed) do
      local other = id ~= '' and not seen[id] and twin(id)
      if passed_over[uid] or KEYS.handed and spared[uid] then
        id = ''
      elseif rules[position] then
        local adds, waiting = adds_with_key(rules[position], body, seen_keys, spared)
        spared[uid] = 'new'
        added, originals = added + adds, originals + waiting
      elseif other then
        spared[other] = 'original'
        originals = originals + (drops == '!' and not chunk_of(other) and 1 - redis.call('HEXISTS', held, other) or 0)
      elseif id == '' or not seen[id] then
        spared[uid] = 'new'
        added = added + 1
      end
      seen[id] = true
    end
    local length = living()
    local full = length + added > most
    if full and drops == '!' then
      local stay = redis.call('HLEN', held) - redis.call('ZCARD', KEYS.lanes) -- those in flight, and packed ones
        + far_count
      full = stay + originals + added > most
    end
    if full then
      return 'FULL ' .. stamp .. ' ' .. length
    end
  end
  if line then
    --@include refuse_long_lines
  end
  if only_looks then
    return nil
  end

  local count = 0
  local seen = (hold_back or KEYS.handed) and {} -- a relay has two notes of a message that was noted again when Redis had gone back
  for position, body, uid, when, id, attributes in messages_in(packed) do
    count = position + 1
    local due = due_time(when, now)
    if hold_back then
      joins_now = due <= now
      due = math.max(due, now + hold_back)
    end
    local rule = rules[position]
    local again = seen and seen[uid] -- this request has added it
    if again or passed_over[uid] or hold_back and is_there(uid) then
      if rule and not again and not passed_over[uid] then
        block_again(uid, id, rule)
      end
      if attributes and redis.call('SISMEMBER', past, uid) == 1 then
        index.note_end(attributes, 'acknowledged', '')
      end
    elseif rule then
      add_with_key(position, uid, due, id, body, attributes, rule)
    elseif id == '' then
      add(uid, due, body, attributes)
    else
      add_unless_twin(position, uid, due, id, body, attributes)
    end
    if seen then
      seen[uid] = true
    end
  end
  flush()
  if finish_keys then
    finish_keys()
  end
  if remember_handed then
    remember_handed()
  end
  if most and drops == '!' then
    drop(living() - most, count + 1000)
    any_now = any_now or index.promoted > 0
  end
  any_now = any_now or index and index.noted -- a lane that is woken relays the notes
  return nil, longest, any_now, any_later, #reply_words > 0 and ' ' .. table.concat(reply_words, ' ') or ''
end
