-- Releases the lock on one of several servers if the owner holds it there.
--
-- KEYS[1]  the lock, a string
-- ARGV[1]  the owner
--
-- Replies 1, or 0 if the owner does not hold it.

if redis.call('get', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('del', KEYS[1])
