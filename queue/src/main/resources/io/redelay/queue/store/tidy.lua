-- Removes entries whose message is gone from the lists ready and suspects, step by step. An entry in the middle is only marked; the
-- last step removes all marked ones. That step alone goes through the whole list, inside Redis and without looking at a message:
-- some 10 ms for a million entries.
--
-- Safe to repeat (I3). The list may change between two steps: an entry that is missed then stays until the next time.
-- I6  the messages of no more than 1,000 entries of a list are looked up.
-- I7  the first write deletes.
--
-- KEYS[1] messages    KEYS[2] ready    KEYS[3] suspects
-- ARGV[1] where in ready to begin, from 0
-- reply   {'OK', where the next step begins, or '' if this was the last one}
local messages, ready, suspects, from = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
redis.call('HDEL', messages, '') -- deletes nothing
local entries = redis.call('LRANGE', ready, from, from + 999)
for i, uid in ipairs(entries) do
  if uid ~= '' and redis.call('HEXISTS', messages, uid) == 0 then
    redis.call('LSET', ready, from + i - 1, '')
  end
end
if #entries == 1000 then
  return { 'OK', string.format('%d', from + 1000) }
end
redis.call('LREM', ready, 0, '')
-- Suspects are in no order.
for _, uid in ipairs(redis.call('LPOP', suspects, 1000) or {}) do
  if redis.call('HEXISTS', messages, uid) == 1 then
    redis.call('RPUSH', suspects, uid)
  end
end
return { 'OK', '' }
