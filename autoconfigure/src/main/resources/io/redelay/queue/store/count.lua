-- Counts a queue's messages by state; changes nothing, and takes as long however many there are.
--
-- KEYS[1] messages  KEYS[2] ready  KEYS[3] suspects  KEYS[4] scheduled  KEYS[5] held  KEYS[6] lanes  KEYS[7] dead  KEYS[8] meta
-- KEYS[9] expiries  KEYS[10..] keys, order, waiting, seats, turns, weights, blocked, busy, rates, bursts, gates, dedup,
--          dedup:expiries, outbox, completed, completed:messages, work    KEYS[27] dead:messages
-- ARGV    none
-- reply   {'OK', now, scheduled, ready, in flight, dead, when the next scheduled one is due or '', '1' if paused or '',
--          '1' if closed or '', when what has been ready longest was due, as far as can be told, or '',
--          how many live for longer than they may, until when nothing is claimed or '', how many are completed, how many bytes these
--          have, and the dead}
--@include clock
local messages, ready, suspects, scheduled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local held, lanes, dead, meta = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local BYTES = '@bytes' -- how large all is that a key has
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

-- When the first message was due of what is seated in a group or, if there are none, in a line.
local function first_seated()
  local group = redis.call('ZRANGE', KEYS[14], 0, 0)[1]
  local first = group and '[' .. group .. '\0' or '-'
  local member = redis.call('ZRANGEBYLEX', KEYS[12], first, '+', 'LIMIT', 0, 1)[1]
  local body = member and redis.call('HGET', messages, string.sub(member, string.find(member, '\0', 1, true) + 32))
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
local flags = redis.call('HMGET', meta, 'paused', 'closed', 'gate')
local gate = flags[3] and tonumber(flags[3]) > now and flags[3]
return { 'OK', stamp, later, math.max(0, living - later - in_flight), in_flight, redis.call('ZCARD', dead), next_due or '',
  flags[1] or '', flags[2] or '', oldest or '', redis.call('ZCOUNT', KEYS[9], '-inf', now),
  gate or '', redis.call('ZCARD', KEYS[24]), redis.call('HGET', KEYS[25], BYTES) or 0, redis.call('HGET', KEYS[27], BYTES) or 0 }
