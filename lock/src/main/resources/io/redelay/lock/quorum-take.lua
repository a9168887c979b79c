-- Takes the lock on one of several servers if no owner holds it there. Runs twice like once.
--
-- KEYS[1]  the lock, a string
-- ARGV[1]  the owner
-- ARGV[2]  the time to live in ms
--
-- Replies 1, or 0 if another holds it.

local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
