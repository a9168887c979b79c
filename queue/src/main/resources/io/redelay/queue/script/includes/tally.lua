-- tally_of(now, stamp): how many messages a queue has by state, and the other values of count; takes as long however many there are.
--
--@keys-of count
-- reads    nothing
-- sets     tally_of
local function tally_of(now, stamp)
  local messages, ready, suspects, scheduled = KEYS.messages, KEYS.ready, KEYS.suspects, KEYS.scheduled
  local held, lanes, dead, meta = KEYS.held, KEYS.lanes, KEYS.dead, KEYS.meta
  local BYTES = '@bytes' -- the bytes of all data in a key
  local later = redis.call('ZCOUNT', scheduled, '(' .. stamp, '+inf')
  local in_flight = redis.call('HLEN', held) - redis.call('ZCARD', lanes)
  local living = redis.call('HLEN', messages)

  -- When a message was due. The store wrote the beginning of its envelope itself.
  local function due_of(body)
    return string.match(body, '^{"sentAt":%d+,"dueAt":(%d+),') or string.match(body, '^{"sentAt":(%d+),') or ''
  end

  -- When the first message of a list was due.
  local function first_due(list)
    for _, uid in ipairs(redis.call('LRANGE', list, 0, 50)) do
      local body = redis.call('HGET', messages, uid)
      if body then
        return due_of(body)
      end
    end
  end

  local oldest
  local function compare(due)
    if due and due ~= '' and (not oldest or tonumber(due) < tonumber(oldest)) then
      oldest = due
    end
  end

  -- The groups of messages that wait: those that take turns, some of each level if they are many, and some that are blocked.
  local function groups_waiting()
    local FEW, MANY = 20, 200
    local groups = {}
    local function add(found)
      for _, group in ipairs(found) do
        groups[#groups + 1] = group
      end
    end
    if redis.call('ZCARD', KEYS.turns) <= MANY then
      add(redis.call('ZRANGE', KEYS.turns, 0, -1))
    else
      local ROUNDS = 1e12 -- see index
      for level = 0, 9 do
        local from, to = string.format('%.0f', level * ROUNDS), string.format('(%.0f', (level + 1) * ROUNDS)
        add(redis.call('ZRANGEBYSCORE', KEYS.turns, from, to, 'LIMIT', 0, FEW))
      end
    end
    add(redis.call('ZRANGE', KEYS.blocked, 0, MANY - 1))
    return groups
  end

  -- Seats are given in the order in which messages become ready. Of the messages of all groups and lines, it is the one with the
  -- first seat that has waited longest, or one that came back to the front: so two of them are read, and not all.
  local function compare_seated()
    local MIDDLE = '5000000000000000' -- see place: seats below it are those at the front
    local waiting = KEYS.waiting
    local back_seat, back_uid, front_seat, front_uid
    local function look(line, from, most)
      local members = redis.call('ZRANGEBYLEX', waiting, '[' .. line .. '\0' .. from, '(' .. line .. '\1', 'LIMIT', 0, most)
      local is_front
      for _, member in ipairs(members) do
        local seat, uid = string.sub(member, #line + 17, #line + 32), string.sub(member, #line + 33)
        is_front = seat < MIDDLE
        if is_front and (not front_seat or seat > front_seat) then
          front_seat, front_uid = seat, uid
        elseif not is_front and (not back_seat or seat < back_seat) then
          back_seat, back_uid = seat, uid
        end
      end
      return is_front
    end
    local NO_TIME, AGES_BYTE = '000000000000000', 97 -- 15 digits; a
    local function look_at(line)
      if string.byte(line) == AGES_BYTE then
        look(line, '', 50) -- in the order of what they have waited and their priority
      elseif look(line, '', 1) then
        look(line, NO_TIME .. MIDDLE, 1)
      end
    end
    for _, group in ipairs(groups_waiting()) do
      look_at(group)
    end
    local next_line = '[o'
    for _ = 1, 50 do -- lines of ordering keys
      local member = redis.call('ZRANGEBYLEX', waiting, next_line, '(p', 'LIMIT', 0, 1)[1]
      if not member then
        break
      end
      local line = string.match(member, '^%Z*')
      look_at(line)
      next_line = '[' .. line .. '\1'
    end
    for _, uid in ipairs({ back_uid or front_uid, front_uid }) do
      local body = redis.call('HGET', messages, uid)
      compare(body and due_of(body))
    end
  end

  compare(first_due(suspects))
  compare(first_due(ready))
  if redis.call('EXISTS', KEYS.waiting) == 1 then
    compare_seated()
  end
  local first = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')
  compare(first[1] and tonumber(first[2]) <= now and first[2])
  local next_due = redis.call('ZRANGEBYSCORE', scheduled, '(' .. stamp, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local flags = redis.call('HMGET', meta, 'paused', 'closed', 'gate', 'limits', 'line', 'limited', 'far')
  local count, _, _, buckets = string.match(flags[7] or '', '^(%d+) (%d+) (%d+) (%d+)')
  if count then -- some are packed; see far
    later, living = later + count, living + count - buckets
    local packed_due = redis.call('ZRANGE', KEYS.far, 0, 0, 'WITHSCORES')[2]
    if packed_due and (not next_due or tonumber(packed_due) < tonumber(next_due)) then
      next_due = packed_due
    end
  end
  local gate = string.match(flags[3] or '', '^%d+')
  gate = gate and tonumber(gate) > now and gate
  local entries = redis.pcall('LLEN', KEYS.inlet) -- others push there, and may have made it anything
  return { 'OK', stamp, later, math.max(0, living - later - in_flight), in_flight, redis.call('ZCARD', dead), next_due or '',
    flags[1] or '', flags[2] or '', oldest or '', redis.call('ZCOUNT', KEYS.expiries, '-inf', now),
    gate or '', redis.call('ZCARD', KEYS.completed), redis.call('HGET', KEYS.completed_messages, BYTES) or 0,
    redis.call('HGET', KEYS.dead_messages, BYTES) or 0,
    flags[4] or '', flags[5] or '', flags[6] or '', type(entries) == 'number' and entries or 0, count or 0 }
end
