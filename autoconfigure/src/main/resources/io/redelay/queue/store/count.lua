-- Counts a queue's messages by state; changes nothing, and takes as long however many there are.
--
-- KEYS[1] messages  KEYS[2] ready  KEYS[3] suspects  KEYS[4] scheduled  KEYS[5] held  KEYS[6] lanes  KEYS[7] dead  KEYS[8] meta
-- KEYS[9] expiries  KEYS[10..] keys, order, waiting, seats, turns, weights, blocked, busy, rates, bursts, gates, dedup, dedup:expiries
-- ARGV    none
-- reply   {'OK', now, scheduled, ready, in flight, dead, when the next scheduled one is due or '', '1' if paused or '',
--          '1' if closed or '', when what has been ready longest was due, as far as can be told, or '',
--          how many live for longer than they may}
--@include clock
local messages, ready, suspects, scheduled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local held, lanes, dead, meta = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local later = redis.call('ZCOUNT', scheduled, '(' .. stamp, '+inf')
local in_flight = redis.call('HLEN', held) - redis.call('ZCARD', lanes)
local living = redis.call('HLEN', messages)

-- When the first message of a list was due. The store wrote the beginning of its envelope itself.
local function first_due(list)
  for _, uid in ipairs(redis.call('LRANGE', list, 0, 50)) do
    local body = redis.call('HGET', messages, uid)
    if body then
      return string.match(body, '^{"sentAt":%d+,"dueAt":(%d+),') or string.match(body, '^{"sentAt":(%d+),') or ''
    end
  end
end

local oldest = first_due(suspects) or first_due(ready)
local first = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')
if not oldest and first[1] and tonumber(first[2]) <= now then
  oldest = first[2]
end
local next_due = redis.call('ZRANGEBYSCORE', scheduled, '(' .. stamp, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
local flags = redis.call('HMGET', meta, 'paused', 'closed')
return { 'OK', stamp, later, math.max(0, living - later - in_flight), in_flight, redis.call('ZCARD', dead), next_due or '',
  flags[1] or '', flags[2] or '', oldest or '', redis.call('ZCOUNT', KEYS[9], '-inf', now) }
