-- What follows when messages are gone, or leave the place where they wait. index.promoted: how many have got their turn by that.
--
-- When a message of a bundle ends, a note in the outbox records how, in the same step. It is relayed to the queue where the bundle is
-- kept; see bundle.
--
-- reads    call_all, put_in_outbox
-- changes  index
-- sets     nothing

-- remove_seats(uids): removes their seats. Gives how many had one.
index.remove_seats = function(uids)
  if redis.call('EXISTS', index.seats) == 0 then
    return 0
  end
  local members, seated = {}, {}
  for i, member in ipairs(#uids > 0 and redis.call('HMGET', index.seats, unpack(uids)) or {}) do
    if member then
      members[#members + 1], seated[#seated + 1] = member, uids[i]
    end
  end
  call_all('ZREM', index.waiting, members)
  call_all('HDEL', index.seats, seated)
  return #members
end

-- pass_turn(uids, ordering_keys): each message that has the turn of its key gives it to the next one of its row, or else to the first
-- one in the line; another one of a row leaves it.
index.pass_turn = function(uids, ordering_keys)
  if #uids == 0 then
    return
  end
  local are_there = redis.call('EXISTS', index.waiting) == 1
  local unused, turns_now, members, followers = {}, {}, {}, {}
  local keys, known, leave = {}, {}, {} -- leave: uid -> whether it leaves its row
  for i, key in ipairs(ordering_keys) do
    keys[#keys + 1] = not known[key] and key or nil
    known[key], leave[uids[i]] = true, true
  end
  for i, row in ipairs(redis.call('HMGET', index.order, unpack(keys))) do
    local line, stay, n = 'o' .. keys[i], {}, 0
    for uid in string.gmatch(row or '', '%S+') do
      n = n + 1
      stay[#stay + 1] = not leave[uid] and uid or nil
    end
    if n > #stay and stay[1] then -- its lane holds it
      turns_now[#turns_now + 1] = keys[i]
      turns_now[#turns_now + 1] = table.concat(stay, ' ')
    elseif n > 0 and not stay[1] then
      local first = are_there and redis.call('ZRANGEBYLEX', index.waiting, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, 1)[1]
      if first then
        local last = #followers + 1
        followers[last], members[last] = string.sub(first, #line + 33), first
        turns_now[#turns_now + 1] = keys[i]
        turns_now[#turns_now + 1] = followers[last]
      else
        unused[#unused + 1] = keys[i]
      end
    end
  end
  call_all('HDEL', index.order, unused)
  call_all('HSET', index.order, turns_now)
  if #followers > 0 then
    redis.call('ZREM', index.waiting, unpack(members))
    redis.call('HDEL', index.seats, unpack(followers))
    local traits_of = {}
    for i, attributes in ipairs(index.attributes_of(followers)) do
      traits_of[i] = attributes and index.traits(attributes)
    end
    index.enter(followers, traits_of, false)
    index.promoted = index.promoted + #followers
  end
end

-- note_end(attributes, how, cause): notes how a message ended for its bundle, if it has one. Gives its other attributes, or nil if it
-- has no bundle.
index.note_end = function(attributes, how, cause)
  local rest, membership = string.match(attributes, index.MEMBERSHIP)
  if membership then
    put_in_outbox(index, 'e', how .. '\0' .. membership .. '\0' .. cause)
  end
  return rest
end

-- Removes the attributes and seats of messages that are gone, and passes on their turns.
index.remove_attributes = function(uids, attributes, held)
  local keyed_uids, ordered, ordering_keys = {}, {}, {}
  for i, uid in ipairs(uids) do
    if attributes[i] then
      keyed_uids[#keyed_uids + 1] = uid
      local key = string.match(attributes[i], index.ORDERING_KEY)
      if key ~= '' then
        ordered[#ordered + 1], ordering_keys[#ordering_keys + 1] = uid, key
      end
    end
  end
  if #keyed_uids > 0 then
    redis.call('HDEL', index.keys, unpack(keyed_uids))
    if not held then
      index.remove_seats(keyed_uids)
    end
    index.pass_turn(ordered, ordering_keys)
  end
end

-- note_ends(attributes, how): the same for many messages, for which nothing else is noted: one note for those of a bundle, of MOST at
-- most. A byte 0 stands before each but the first one, and another one before all these.
index.note_ends = function(attributes, how)
  local MOST, bundles, members_of = 100, {}, {}
  for _, each in ipairs(attributes) do
    local _, membership = string.match(each, index.MEMBERSHIP)
    local bundle, member = string.match(membership or '', '^([^/]*/[^/]*/)(.*)$')
    if bundle and members_of[bundle] and #members_of[bundle] < MOST then
      table.insert(members_of[bundle], (#members_of[bundle] == 1 and '\0\0' or '\0') .. member)
    elseif bundle then
      members_of[bundle] = { membership }
      bundles[#bundles + 1] = members_of[bundle]
    end
  end
  for _, members in ipairs(bundles) do
    put_in_outbox(index, 'e', how .. '\0' .. table.concat(members) .. (members[2] and '' or '\0'))
  end
end

-- ended(uids, attributes, how, held): messages are gone, wherever they were. how: the way, to be noted for their bundles; nil for no
-- note. held: whether all were held, so that none has a seat.
index.ended = function(uids, attributes, how, held)
  local entries, longer = {}, {} -- uids and attributes of those that may have tags or a bundle: other attributes end with a byte 0
  for i, uid in ipairs(uids) do
    if attributes[i] and string.byte(attributes[i], -1) ~= 0 then
      local n = #entries
      entries[n + 1], entries[n + 2], longer[#longer + 1] = uid, attributes[i], attributes[i]
    end
  end
  index.note_ends(how and longer or {}, how)
  index.untag(entries)
  index.remove_attributes(uids, attributes, held)
end

-- buried(uids, attributes, dead_messages): messages are dead. They keep their attributes, with the tags, and the turn of their key if
-- they hold it.
-- For its bundle a dead message has ended: when it is redriven, it has no bundle.
index.buried = function(uids, attributes, dead_messages)
  local leaving, leaving_attributes = {}, {}
  for i, uid in ipairs(uids) do
    if attributes[i] then
      local rest = index.note_end(attributes[i], 'dead', redis.call('HGET', dead_messages, uid .. '/cause') or '')
      redis.call('HSET', dead_messages, uid .. '/keys', rest or attributes[i])
      if index.traits(attributes[i]).holds then
        redis.call('HDEL', index.keys, uid)
        index.remove_seats({ uid })
      else
        leaving[#leaving + 1] = uid
        leaving_attributes[#leaving] = attributes[i]
      end
    end
  end
  index.remove_attributes(leaving, leaving_attributes)
end
