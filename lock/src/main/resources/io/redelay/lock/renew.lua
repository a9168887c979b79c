-- Renews one of Redisson's exclusive locks that is held for its owner, and never makes its time to live shorter. Runs twice like
-- once.
--
-- KEYS[1]  the lock, a hash
-- ARGV[1]  the owner's field in the lock
-- ARGV[2]  the time to live in ms
--
-- Replies 1, or 0 if the lock is not the owner's any more.

if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('pexpire', KEYS[1], ARGV[2])
end
return 1
