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

  -- When the first message with a seat in a group was due or, if there is none, the first one in a line.
  local function first_seated()
    local group = redis.call('ZRANGE', KEYS.turns, 0, 0)[1]
    local first = group and '[' .. group .. '\0' or '-'
    local member = redis.call('ZRANGEBYLEX', KEYS.waiting, first, '+', 'LIMIT', 0, 1)[1]
    local body = member and redis.call('HGET', messages, string.sub(member, (string.find(member, '\0', 1, true) or 0) + 32))
    return body and due_of(body)
  end

  local oldest = first_due(suspects) or first_due(ready)
  local seated = first_seated()
  if seated and (not oldest or seated < oldest) then
    oldest = seated
  end
  local first = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')
  if not oldest and first[1] and tonumber(first[2]) <= now then
    oldest = first[2]
  end
  local next_due = redis.call('ZRANGEBYSCORE', scheduled, '(' .. stamp, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local flags = redis.call('HMGET', meta, 'paused', 'closed', 'gate', 'limits', 'line', 'limited')
  local gate = (tonumber(flags[3]) or 0) > now and flags[3]
  local entries = redis.pcall('LLEN', KEYS.inlet) -- others push there, and may have made it anything
  return { 'OK', stamp, later, math.max(0, living - later - in_flight), in_flight, redis.call('ZCARD', dead), next_due or '',
    flags[1] or '', flags[2] or '', oldest or '', redis.call('ZCOUNT', KEYS.expiries, '-inf', now),
    gate or '', redis.call('ZCARD', KEYS.completed), redis.call('HGET', KEYS.completed_messages, BYTES) or 0,
    redis.call('HGET', KEYS.dead_messages, BYTES) or 0,
    flags[4] or '', flags[5] or '', flags[6] or '', type(entries) == 'number' and entries or 0 }
end
