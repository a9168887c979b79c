-- Leaves one of Redisson's exclusive locks to its time to live: the owner's field gets a name of its own, which Redisson's
-- watchdog does not renew. Another can take the lock when that time is over. Runs twice like once.
--
-- KEYS[1]  the lock, a hash
-- KEYS[2]  the list of the waiters for a fair lock; of other locks a key that is not there
-- ARGV[1]  the owner's field in the lock
-- ARGV[2]  the field's new name
-- ARGV[3]  the time to live in ms
-- ARGV[4]  the channel of the waiters for a fair lock, without the waiter's name
--
-- Replies 1, or 0 if the lock is not the owner's any more.

local owner, held, time, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('hexists', KEYS[1], held) == 1 then
  return 1
end
if redis.call('hdel', KEYS[1], owner) == 0 then
  return 0
end
redis.call('hset', KEYS[1], held, 1)
redis.call('pexpire', KEYS[1], time)
-- A waiter for a fair lock asks again only when it thinks the lock expires, which is now another time.
local waiter = redis.call('lindex', KEYS[2], 0)
if waiter then
  redis.call('publish', channel .. ':' .. waiter, 0)
end
return 1
