-- limit_keys(index, limit_words, wanted, clock, now): how many messages of a fairness key a claim may take, by the limits that hold for
-- its listener and by the gate of the key. A group whose key has no room is blocked until there may be some: when its time comes, or when
-- a held message is released. Gives key_room and key_taken.
--
--@keys-of claim
-- reads    call_all, rates_of
-- sets     limit_keys
local function limit_keys(index, limit_words, wanted, clock, now)
  local rates, bursts, gates = KEYS.rates, KEYS.bursts, KEYS.gates
  local rate_of, allowance, spend = rates_of(rates, bursts, clock, now)
  local limits = {}
  for name, word in string.gmatch(limit_words, ' (%l+)=(%d%S*)') do
    limits[name] = word
  end
  local some_closed = redis.call('EXISTS', gates) == 1
  local rate, most_held = rate_of(limits.kq), tonumber(string.match(limits.km or '', '^%d+'))
  local states = {}

  -- key_room(key, n): how many of n may be taken; and if that is none, when more may be, '+inf' if that depends on held messages.
  local function key_room(key, n)
    local till = some_closed and tonumber(redis.call('ZSCORE', gates, key))
    if till and till > now then
      return 0, till
    elseif till then
      redis.call('ZREM', gates, key)
    end
    if most_held then
      n = math.min(n, most_held - (tonumber(redis.call('HGET', index.busy, key)) or 0))
      if n <= 0 then
        return 0, '+inf'
      end
    end
    if rate then
      local allowed, state = allowance('k' .. key, rate)
      if allowed == 0 then
        return 0, spend('k' .. key, rate, 0, state)
      end
      n, states[key] = math.min(n, allowed), state
    end
    return n
  end

  -- key_taken(key, n): counts n taken messages, after a call of key_room.
  local function key_taken(key, n)
    if rate then
      spend('k' .. key, rate, n, states[key])
    end
  end

  -- Removes rates that are over: at most a hundred more than a claim may add.
  if rate then
    local over = redis.call('ZRANGEBYSCORE', rates, '-inf', now, 'LIMIT', 0, wanted + 100)
    call_all('ZREM', rates, over)
    call_all('HDEL', bursts, over)
    -- A group that is blocked for longer than the rate allows, and by no gate, is so because the clock went back.
    local farthest = string.format('%.0f', now + rate.window + rate.slack + rate.interval)
    local stuck = {}
    for _, group in ipairs(redis.call('ZRANGEBYSCORE', index.blocked, '(' .. farthest, '(+inf', 'LIMIT', 0, 100)) do
      local key = string.sub(group, 2)
      if not (some_closed and redis.call('ZSCORE', gates, key)) then
        stuck[#stuck + 1] = key
      end
    end
    index.unblock(stuck, true)
  end
  return key_room, key_taken
end
