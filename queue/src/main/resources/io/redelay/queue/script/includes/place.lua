-- How messages become ready, or wait for the turn of their ordering key.
--
-- reads    call_all, plus
-- changes  index
-- sets     nothing

-- traits(attributes): their values by name, not to be changed; a message whose attributes cannot be read counts as a plain one.
index.traits = function(attributes)
  local its = index.known_traits[attributes]
  if its then
    return its
  end
  local ordering_key, fairness_key, weight, level, head_start, holds = string.match(attributes, index.ATTRIBUTES)
  if ordering_key then
    its = { ordering_key = ordering_key, group = level .. fairness_key, weight = tonumber(weight), head_start = head_start }
    if holds == '1' then
      its.holds = true
    end
  else
    its = { ordering_key = '', group = index.PLAIN, weight = 1, head_start = '' }
  end
  index.known_traits[attributes] = its
  return its
end

-- attributes_of(uids): those of each, false if a message has none.
index.attributes_of = function(uids)
  return #uids > 0 and redis.call('HMGET', index.keys, unpack(uids)) or {}
end

-- fairness_key(uid): that of a message, '' if it has none.
index.fairness_key = function(uid)
  local attributes = redis.call('HGET', index.keys, uid)
  return attributes and string.sub(index.traits(attributes).group, 2) or ''
end

-- give_seats(lines, uids, times, front): gives each message its seat in a line or group, the first ones first, behind all that are
-- there or at the front.
index.give_seats = function(lines, uids, times, front)
  if #uids == 0 then
    return
  end
  local NO_TIME = '000000000000000' -- 15 digits
  local MIDDLE = 5e15 -- seats count up from here, and those at the front count down
  local first = front and MIDDLE + plus(index.meta, 'front', -#uids)
    or MIDDLE - #uids + plus(index.meta, 'seat', #uids)
  local members, fields = {}, {}
  for i, uid in ipairs(uids) do
    local member = lines[i] .. '\0' .. (times[i] or NO_TIME) .. string.format('%016.0f', first + i - 1) .. uid
    members[2 * i - 1], members[2 * i] = '0', member
    fields[2 * i - 1], fields[2 * i] = uid, member
  end
  redis.call('ZADD', index.waiting, unpack(members))
  redis.call('HSET', index.seats, unpack(fields))
end

-- enter(uids, traits_of, front): makes messages ready, which have the turn of their ordering key if they have one.
index.enter = function(uids, traits_of, front)
  local plain, lines, seated, times = {}, {}, {}, {}
  local groups, weighed, heavy, light = {}, {}, {}, {}
  for i, uid in ipairs(uids) do
    local its = traits_of[i]
    if not its or its.group == index.PLAIN then
      plain[#plain + 1] = uid
    else
      local n = #seated + 1
      seated[n], lines[n] = uid, its.group
      if its.head_start ~= '' and not front then
        times[n] = string.format('%015.0f', index.now - its.head_start)
      end
      if not weighed[its.group] then
        groups[#groups + 1] = its.group
      end
      weighed[its.group] = its.weight -- the newest counts
    end
  end
  if #plain > 0 and not front then
    redis.call('RPUSH', index.ready, unpack(plain))
  elseif #plain > 0 then
    local backwards = {}
    for i = #plain, 1, -1 do
      backwards[#backwards + 1] = plain[i]
    end
    redis.call('LPUSH', index.ready, unpack(backwards))
  end
  if #groups == 0 then
    return
  end
  index.give_seats(lines, seated, times, front)
  index.join(groups)
  for _, group in ipairs(groups) do
    if weighed[group] > 1 then
      heavy[#heavy + 1] = group
      heavy[#heavy + 1] = weighed[group]
    else
      light[#light + 1] = group
    end
  end
  call_all('HSET', index.weights, heavy)
  if #light > 0 and redis.call('EXISTS', index.weights) == 1 then
    redis.call('HDEL', index.weights, unpack(light))
  end
end

-- has_turn(key, uid): whether a message has the turn of its ordering key, and what `order` has of that behind its uid: the others of the
-- row, which its lane holds with it and handles after it, with a blank before each.
index.has_turn = function(key, uid)
  local row = redis.call('HGET', index.order, key)
  return row and string.match(row, '^%S+') == uid, row and string.match(row, ' .*$') or ''
end

-- line_up(uids, front, attributes): gives messages a seat in the line of their ordering key if another one has the turn. Gives
-- the others, which have the turn from now on or have no such key, and their traits. Those of a row that come back are the first of
-- the line, in the order of the row.
index.line_up = function(uids, front, attributes)
  attributes = attributes or index.attributes_of(uids)
  local traits_of, ordering_keys, asked = {}, {}, {}
  for i = 1, #uids do
    traits_of[i] = attributes[i] and index.traits(attributes[i])
    local key = traits_of[i] and traits_of[i].ordering_key or ''
    if key ~= '' and not asked[key] then
      ordering_keys[#ordering_keys + 1], asked[key] = key, true
    end
  end
  local turn = {} -- uid of the message that has it, by ordering key
  local rows, come_back = {}, {} -- by ordering key: the row if there are others in it, and which of these come back
  if #ordering_keys > 0 then
    for n, row in ipairs(redis.call('HMGET', index.order, unpack(ordering_keys))) do
      local holder = row and string.match(row, '^%S+')
      if holder and (redis.call('HEXISTS', index.messages, holder) == 1 or redis.call('ZSCORE', index.dead, holder)) then
        turn[ordering_keys[n]] = holder
        rows[ordering_keys[n]] = row ~= holder and row .. ' ' or nil
      end
    end
  end
  local free, free_traits, taken_turns, lines, late = {}, {}, {}, {}, {}
  for i, uid in ipairs(uids) do
    local key = traits_of[i] and traits_of[i].ordering_key or ''
    if key ~= '' and not turn[key] then
      turn[key] = uid
      taken_turns[#taken_turns + 1] = key
      taken_turns[#taken_turns + 1] = uid
    end
    if key == '' or turn[key] == uid then
      free[#free + 1] = uid
      free_traits[#free] = traits_of[i]
    elseif rows[key] and string.find(rows[key], ' ' .. uid .. ' ', 1, true) then
      come_back[key] = come_back[key] or {}
      come_back[key][uid] = true
    else
      late[#late + 1], lines[#lines + 1] = uid, 'o' .. key
    end
  end
  call_all('HSET', index.order, taken_turns)
  index.give_seats(lines, late, {}, front)
  for key, its in pairs(come_back) do
    local stay, leave, their_lines, seen = {}, {}, {}, {}
    for uid in string.gmatch(rows[key], '%S+') do
      local into = its[uid] and leave or stay
      into[#into + 1], seen[uid] = not seen[uid] and uid or nil, true
      their_lines[#leave] = 'o' .. key
    end
    redis.call('HSET', index.order, key, table.concat(stay, ' '))
    index.give_seats(their_lines, leave, {}, true)
  end
  return free, free_traits
end

-- place(uids, front, attributes): makes messages ready, or has them wait for the turn of their ordering key. One that has the turn
-- keeps it. Gives how many are ready.
index.place = function(uids, front, attributes)
  local free, free_traits = index.line_up(uids, front, attributes)
  index.enter(free, free_traits, front)
  return #free
end
