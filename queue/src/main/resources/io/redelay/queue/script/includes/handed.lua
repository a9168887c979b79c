-- handed_over(handed, packed, window_ms, is_there, now): how a queue remembers the uids of messages that are handed over to it
-- from elsewhere: the sender may not learn that they have arrived, and then sends them again, on any lane. Gives by uid those that have
-- arrived before, and a function that adds the others, and removes expired uids, in bounded steps.
--
-- reads    call_all, messages_in
-- sets     handed_over
local function handed_over(handed, packed, window_ms, is_there, now)
  local passed_over, uids = {}, {}
  for _, _, uid in messages_in(packed) do
    uids[#uids + 1] = uid
  end
  for from = 1, #uids, 1000 do
    for i, till in ipairs(redis.call('ZMSCORE', handed, unpack(uids, from, math.min(from + 999, #uids)))) do
      local uid = uids[from + i - 1]
      if till and tonumber(till) > now or is_there(uid) then
        passed_over[uid] = true
      end
    end
  end
  local function remember_handed()
    local till, entries = string.format('%.0f', now + tonumber(window_ms)), {}
    for _, uid in ipairs(uids) do
      if not passed_over[uid] then
        entries[#entries + 1], entries[#entries + 2] = till, uid
      end
      if #entries >= 1000 then
        redis.call('ZADD', handed, unpack(entries))
        entries = {}
      end
    end
    call_all('ZADD', handed, entries)
    local over = redis.call('ZRANGEBYSCORE', handed, '-inf', now, 'LIMIT', 0, #uids + 100)
    for from = 1, #over, 1000 do
      redis.call('ZREM', handed, unpack(over, from, math.min(from + 999, #over)))
    end
    if redis.call('PTTL', handed) < tonumber(window_ms) then
      redis.call('PEXPIRE', handed, window_ms)
    end
  end
  return passed_over, remember_handed
end
