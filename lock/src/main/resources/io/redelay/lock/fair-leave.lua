-- Takes a waiter out of the line of one of Redisson's fair locks, wherever it stands, as Redisson does it. Runs twice like
-- once.
--
-- KEYS[1]  the line, a list of waiters
-- KEYS[2]  until when each of them keeps its place, a sorted set
-- ARGV[1]  the waiter
-- ARGV[2]  for how long each place is kept, in ms
--
-- Replies 1, or 0 if it does not stand in the line.

local place = redis.call('lpos', KEYS[1], ARGV[1])
if not place then
  return 0
end
for _, behind in ipairs(redis.call('lrange', KEYS[1], place + 1, -1)) do
  redis.call('zincrby', KEYS[2], -tonumber(ARGV[2]), behind)
end
redis.call('zrem', KEYS[2], ARGV[1])
redis.call('lrem', KEYS[1], 1, ARGV[1])
return 1
