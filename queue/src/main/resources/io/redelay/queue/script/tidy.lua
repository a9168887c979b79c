-- Removes entries whose message is gone from the lists ready and suspects, step by step. An entry in the middle of ready is only marked;
-- the last step in ready removes all marked ones. That step alone goes through the whole list, inside Redis and without looking at a
-- message: some 10 ms for a million entries.
--
-- Safe to repeat (I3). The list may change between two steps: an entry that is missed then stays until the next time.
-- I6  the messages of no more than 1,000 entries of a list are looked up.
-- I7  the first write deletes.
--
--@keys messages ready suspects
-- ARGV[1] where in ready to begin, from 0; or below 0 how many suspects are left to look at
-- reply   {'OK', where the next step begins, or '' if this was the last one}
local messages, ready, suspects, from = KEYS.messages, KEYS.ready, KEYS.suspects, tonumber(ARGV[1])
local PAGE = 1000
redis.call('HDEL', messages, '') -- deletes nothing
local left = -from
if from >= 0 then
  local entries = redis.call('LRANGE', ready, from, from + PAGE - 1)
  for i, uid in ipairs(entries) do
    if uid ~= '' and redis.call('HEXISTS', messages, uid) == 0 then
      redis.call('LSET', ready, from + i - 1, '')
    end
  end
  if #entries == PAGE then
    return { 'OK', string.format('%d', from + PAGE) }
  end
  redis.call('LREM', ready, 0, '')
  left = redis.call('LLEN', suspects)
end
-- Suspects are in no order.
for _, uid in ipairs(left > 0 and redis.call('LPOP', suspects, math.min(left, PAGE)) or {}) do
  if redis.call('HEXISTS', messages, uid) == 1 then
    redis.call('RPUSH', suspects, uid)
  end
end
return { 'OK', left > PAGE and string.format('%d', PAGE - left) or '' }
