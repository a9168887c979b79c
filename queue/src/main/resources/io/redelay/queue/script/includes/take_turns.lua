-- take_turns(index, room, bytes, key_room, key_taken): takes messages from the groups of the first level, as many as there is room for.
-- Gives their uids, and whether there may be more. Groups take turns strictly by level, and within one in rounds, in each of which a
-- group is given as many as it weighs. A claim has many rounds; room that one leaves is divided by weight as well. bytes: nil if all
-- may be long; else left: how many bytes may be taken, has_some: whether any message was taken, has_work: whether handlers recorded
-- something of any; full is set when the limit is reached. key_room, key_taken: see key_limits; nil without such limits.
--
-- I6  a pass looks at no more groups than messages are wanted.
--
--@keys-of claim
-- reads    call_all
-- sets     take_turns

-- How many of n uids may be taken within the byte limit, which is reached if those are fewer; the first message of a claim always may.
-- An entry whose message is gone has no bytes.
local function within_bytes(bytes, uids, n)
  for i = 1, bytes and n or 0 do
    local length = redis.call('HSTRLEN', KEYS.messages, uids[i])
    bytes.left = bytes.left - length - (bytes.has_work and redis.call('HSTRLEN', KEYS.work, uids[i] .. '/checkpoint') or 0)
    if bytes.left < 0 and bytes.has_some then
      bytes.full = true
      return i - 1
    end
    bytes.has_some = bytes.has_some or length > 0
  end
  return n
end

-- Up to which round the groups of a level can go with as many messages as there is room: a group that is behind catches up first.
local function horizon_of(rounds, shares, room)
  local horizon, weight = rounds[1], 0
  for i = 1, #rounds do
    local needed = (rounds[i] - horizon) * weight
    if needed >= room then
      break
    end
    room = room - needed
    horizon, weight = rounds[i], weight + shares[i]
  end
  return horizon + room / weight
end

-- How many of n messages of a group may be taken now. If none, adds the group to the blocked ones with the time until which it takes
-- no turns.
local function room_of_key(index, key_room, group, n)
  local key = string.sub(group, 2)
  if not key_room or key == '' then
    return n
  end
  local room, till = key_room(key, n)
  if room == 0 then
    redis.call('ZADD', index.blocked, till, group)
  end
  return room
end

local function take_turns(index, room, bytes, key_room, key_taken)
  local turns, waiting, weights, PLAIN, ROUNDS = index.turns, index.waiting, index.weights, index.PLAIN, index.ROUNDS
  local entries = redis.call('ZRANGE', turns, 0, room, 'WITHSCORES')
  if #entries == 0 then
    return {}, false
  end
  local level = math.floor(tonumber(entries[2]) / ROUNDS)
  local groups, rounds = {}, {}
  for i = 1, #entries, 2 do
    local score = tonumber(entries[i + 1])
    if math.floor(score / ROUNDS) > level or #groups == room then
      break
    end
    groups[#groups + 1], rounds[#rounds + 1] = entries[i], score
  end
  local alone = #groups == 1 and (not entries[4] or math.floor(tonumber(entries[4]) / ROUNDS) > level)
  local shares = redis.call('HMGET', weights, unpack(groups))
  for i = 1, #shares do
    shares[i] = math.max(1, tonumber(shares[i]) or 1)
  end
  local horizon = horizon_of(rounds, shares, room)
  local chosen, members, seated, scores, leaving, waits = {}, {}, {}, {}, {}, {}
  local taken_keys, taken_of = {}, {} -- how many of each fairness key
  local texts = {} -- of scores, for many groups have the same
  for i, group in ipairs(groups) do
    local n = math.min(room - #chosen, math.max(1, math.floor((horizon - rounds[i]) * shares[i] + 1e-6)))
    if n == 0 or bytes and bytes.full or i > 1 and rounds[i] >= horizon then
      break
    end
    local fairness_key = string.sub(group, 2)
    local is_counted = not taken_of[fairness_key] -- else this pass took some of the key that ages, or of that which does not
    n = is_counted and room_of_key(index, key_room, group, n) or 0
    local count = 0
    local is_last = false -- whether the group has no more
    if not is_counted then
      -- The next pass takes it.
    elseif n == 0 then
      waits[#waits + 1] = group
    elseif group == PLAIN then
      local uids = redis.call('LRANGE', KEYS.ready, 0, n) -- one more, which shows whether there are more
      is_last = #uids <= n
      count = within_bytes(bytes, uids, math.min(n, #uids))
      for j = 1, count do
        chosen[#chosen + 1] = uids[j]
      end
      if count > 0 then
        redis.call('LPOP', KEYS.ready, count)
      end
      is_last = is_last and count == #uids
    else
      local found = redis.call('ZRANGEBYLEX', waiting, '[' .. group .. '\0', '(' .. group .. '\1', 'LIMIT', 0, n + 1)
      local uids = {}
      for j = 1, math.min(n, #found) do
        uids[j] = string.sub(found[j], #group + 33)
      end
      count = within_bytes(bytes, uids, #uids)
      for j = 1, count do
        chosen[#chosen + 1], seated[#seated + 1], members[#members + 1] = uids[j], uids[j], found[j]
      end
      is_last = count == #found
      if fairness_key ~= '' and count > 0 then
        taken_keys[#taken_keys + 1], taken_of[fairness_key] = fairness_key, count
        if key_taken then
          key_taken(fairness_key, count)
        end
      end
    end
    if is_last then
      leaving[#leaving + 1] = group
    elseif count > 0 and not alone then
      local score = rounds[i] + count / shares[i]
      texts[score] = texts[score] or string.format('%.17g', score)
      scores[#scores + 1] = texts[score]
      scores[#scores + 1] = group
    end
  end
  call_all('ZREM', waiting, members)
  call_all('HDEL', index.seats, seated)
  call_all('ZREM', turns, leaving)
  call_all('HDEL', weights, leaving)
  call_all('ZREM', turns, waits)
  call_all('ZADD', turns, scores)
  index.count_held(taken_keys, taken_of)
  return chosen, not (bytes and bytes.full)
end
