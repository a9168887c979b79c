-- What follows when messages are gone, or leave the place where they wait. promoted(): how many have got their turn by that.
--
-- When a message of a bundle ends, a note in the outbox records how, in the same step. It is relayed to the queue where the bundle is
-- kept; see bundle.
--
-- reads    MEMBERSHIP, ORDERING_KEY, attributes_of, enter, keys, order, put_in_outbox, seats, traits, untag, waiting
-- sets     buried, ended, note_end, pass_on, promoted, remove_seats

local followed = 0

local function promoted()
  return followed
end

-- remove_seats(uids): removes their seats. Gives how many had one.
local function remove_seats(uids)
  if redis.call('EXISTS', seats) == 0 then
    return 0
  end
  local members, seated = {}, {}
  for i, member in ipairs(#uids > 0 and redis.call('HMGET', seats, unpack(uids)) or {}) do
    if member then
      members[#members + 1], seated[#seated + 1] = member, uids[i]
    end
  end
  if #members > 0 then
    redis.call('ZREM', waiting, unpack(members))
    redis.call('HDEL', seats, unpack(seated))
  end
  return #members
end

-- pass_on(uids, ordering_keys): each message that has the turn of its key gives it to the first one in the line.
local function pass_on(uids, ordering_keys)
  if #uids == 0 then
    return
  end
  local are_there = redis.call('EXISTS', waiting) == 1
  local unused, turns_now, members, followers = {}, {}, {}, {}
  for i, holder in ipairs(redis.call('HMGET', order, unpack(ordering_keys))) do
    local line = 'o' .. ordering_keys[i]
    if holder == uids[i] then
      local first = are_there and redis.call('ZRANGEBYLEX', waiting, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, 1)[1]
      if first then
        local n = #followers + 1
        followers[n], members[n] = string.sub(first, #line + 33), first
        turns_now[2 * n - 1], turns_now[2 * n] = ordering_keys[i], followers[n]
      else
        unused[#unused + 1] = ordering_keys[i]
      end
    end
  end
  if #unused > 0 then
    redis.call('HDEL', order, unpack(unused))
  end
  if #followers > 0 then
    redis.call('HSET', order, unpack(turns_now))
    redis.call('ZREM', waiting, unpack(members))
    redis.call('HDEL', seats, unpack(followers))
    local traits_of = {}
    for i, attributes in ipairs(attributes_of(followers)) do
      traits_of[i] = attributes and traits(attributes)
    end
    enter(followers, traits_of, false)
    followed = followed + #followers
  end
end

-- note_end(attributes, how, cause): notes how a message ended for its bundle, if it has one. Gives its other attributes, or nil if it
-- has no bundle.
local function note_end(attributes, how, cause)
  local rest, membership = string.match(attributes, MEMBERSHIP)
  if membership then
    put_in_outbox('e', how .. '\0' .. membership .. '\0' .. cause)
  end
  return rest
end

-- Removes the attributes and seats of messages that are gone, and passes on their turns.
local function live_no_more(uids, attributes)
  local keyed_uids, ordered, ordering_keys = {}, {}, {}
  for i, uid in ipairs(uids) do
    if attributes[i] then
      keyed_uids[#keyed_uids + 1] = uid
      local key = string.match(attributes[i], ORDERING_KEY)
      if key ~= '' then
        ordered[#ordered + 1], ordering_keys[#ordering_keys + 1] = uid, key
      end
    end
  end
  if #keyed_uids > 0 then
    redis.call('HDEL', keys, unpack(keyed_uids))
    remove_seats(keyed_uids)
    pass_on(ordered, ordering_keys)
  end
end

-- ended(uids, attributes, how): messages are gone, wherever they were. how: the way, to be noted for their bundles; nil for no note.
local function ended(uids, attributes, how)
  local entries = {}
  for i, uid in ipairs(uids) do
    if attributes[i] then
      local n = #entries
      entries[n + 1], entries[n + 2] = uid, attributes[i]
      if how then
        note_end(attributes[i], how, '')
      end
    end
  end
  untag(entries)
  live_no_more(uids, attributes)
end

-- buried(uids, attributes, dead_messages): messages are dead. They keep their attributes, with the tags, and the turn of their key if
-- they hold it.
-- For its bundle a dead message has ended: when it is redriven, it has no bundle.
local function buried(uids, attributes, dead_messages)
  local leaving, leaving_attributes = {}, {}
  for i, uid in ipairs(uids) do
    if attributes[i] then
      local rest = note_end(attributes[i], 'dead', redis.call('HGET', dead_messages, uid .. '/cause') or '')
      redis.call('HSET', dead_messages, uid .. '/keys', rest or attributes[i])
      if traits(attributes[i]).holds then
        redis.call('HDEL', keys, uid)
        remove_seats({ uid })
      else
        leaving[#leaving + 1] = uid
        leaving_attributes[#leaving] = attributes[i]
      end
    end
  end
  live_no_more(leaving, leaving_attributes)
end
