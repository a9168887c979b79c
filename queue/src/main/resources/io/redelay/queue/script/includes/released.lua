-- How many messages of each fairness key are held.
--
-- reads    call_all
-- changes  index
-- sets     nothing

-- count_held(fairness_keys, more): adds `more` to the counts; a number below zero subtracts.
index.count_held = function(fairness_keys, more)
  if #fairness_keys == 0 then
    return
  end
  local counted, unused = {}, {}
  for i, n in ipairs(redis.call('HMGET', index.busy, unpack(fairness_keys))) do
    local key = fairness_keys[i]
    local sum = (tonumber(n) or 0) + more[key]
    if sum > 0 then
      counted[#counted + 1] = key
      counted[#counted + 1] = sum == 1 and '1' or string.format('%d', sum)
    else
      unused[#unused + 1] = key
    end
  end
  call_all('HSET', index.busy, counted)
  call_all('HDEL', index.busy, unused)
end

-- How many messages there are of each fairness key.
index.by_fairness_key = function(attributes, unit)
  local fairness_keys, counts_of = {}, {}
  for i = 1, #attributes do
    local key = attributes[i] and string.match(attributes[i], index.FAIRNESS_KEY) or ''
    if key ~= '' then
      if not counts_of[key] then
        fairness_keys[#fairness_keys + 1] = key
      end
      counts_of[key] = (counts_of[key] or 0) + unit
    end
  end
  return fairness_keys, counts_of
end

-- count_claimed(attributes): messages that have these are held from now on.
index.count_claimed = function(attributes)
  index.count_held(index.by_fairness_key(attributes, 1))
end

-- unblock(fairness_keys, all): lets groups of these keys that wait for held messages take turns again, or all of their groups.
index.unblock = function(fairness_keys, all)
  if #fairness_keys == 0 or redis.call('EXISTS', index.blocked) == 0 then
    return
  end
  for from = 1, #fairness_keys, 100 do
    local groups, free = {}, {}
    for i = from, math.min(from + 99, #fairness_keys) do
      for level in string.gmatch('0123456789a', '.') do
        groups[#groups + 1] = level .. fairness_keys[i]
      end
    end
    for i, until_when in ipairs(redis.call('ZMSCORE', index.blocked, unpack(groups))) do
      if until_when == 'inf' or until_when and all then
        free[#free + 1] = groups[i]
      end
    end
    if #free > 0 then
      redis.call('ZREM', index.blocked, unpack(free))
      index.join(free)
    end
  end
end

-- released(attributes): messages that have these are not held any more. Groups of their keys that wait for a release take turns again.
index.released = function(attributes)
  local fairness_keys, counts_of = index.by_fairness_key(attributes, -1)
  index.count_held(fairness_keys, counts_of)
  index.unblock(fairness_keys, false)
end
