-- Gives the lock on one of several servers another time to live, if the owner holds it there. Runs twice like once.
--
-- KEYS[1]  the lock, a string
-- ARGV[1]  the owner
-- ARGV[2]  the time to live in ms
--
-- Replies 1, or 0 if the owner does not hold it.

if redis.call('get', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
