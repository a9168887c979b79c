-- Tries each command that the scripts use, to find out what the user may not do. Removes what it writes to its key.
--
-- I7  the first write deletes.
--
--@keys permissions
-- KEYS.permissions    a key that nothing else uses, of the type that the last attempt made it
-- ARGV[1] wake channel of no instance
-- reply   each command that the user may not use, or not on this key or channel, a blank, and the error of Redis
local key, refusals = KEYS.permissions, {}

-- Redis 6.2 words a denied permission otherwise than 7. Any other error shows that the user has the permission.
local function try(command, outcome)
  local why = type(outcome) == 'table' and outcome.err
  if why and (string.find(why, 'NOPERM', 1, true) or string.find(why, 'ACL failure', 1, true)
      or string.find(why, "executing the script can't", 1, true)) then
    refusals[#refusals + 1] = command .. ' ' .. why
  end
end

try('UNLINK', redis.pcall('UNLINK', key))
try('DEL', redis.pcall('DEL', key))
try('TIME', redis.pcall('TIME'))
try('EXISTS', redis.pcall('EXISTS', key))
try('GET', redis.pcall('GET', key))
try('SET', redis.pcall('SET', key, '', 'PX', 1000))
try('APPEND', redis.pcall('APPEND', key, ''))
try('PEXPIRE', redis.pcall('PEXPIRE', key, 1000))
local expiry = '1'
local gone = redis.pcall('PEXPIREAT', key, expiry)
try('pexpireat', gone)
try('PERSIST', redis.pcall('PERSIST', key))
try('PTTL', redis.pcall('PTTL', key))
try('HDEL', redis.pcall('HDEL', key, ''))
try('HEXISTS', redis.pcall('HEXISTS', key, ''))
try('HGET', redis.pcall('HGET', key, ''))
try('HGETALL', redis.pcall('HGETALL', key))
try('HINCRBY', redis.pcall('HINCRBY', key, '', 1))
try('HKEYS', redis.pcall('HKEYS', key))
try('HLEN', redis.pcall('HLEN', key))
try('HMGET', redis.pcall('HMGET', key, ''))
try('HSCAN', redis.pcall('HSCAN', key, 0))
try('HSET', redis.pcall('HSET', key, '', ''))
try('HSETNX', redis.pcall('HSETNX', key, '', ''))
try('HSTRLEN', redis.pcall('HSTRLEN', key, ''))
redis.pcall('UNLINK', key)
try('LLEN', redis.pcall('LLEN', key))
try('LPOP', redis.pcall('LPOP', key))
try('LPOS', redis.pcall('LPOS', key, ''))
try('LPUSH', redis.pcall('LPUSH', key, ''))
try('LRANGE', redis.pcall('LRANGE', key, 0, 0))
try('LREM', redis.pcall('LREM', key, 0, ''))
try('LSET', redis.pcall('LSET', key, 0, ''))
try('LTRIM', redis.pcall('LTRIM', key, 0, 0))
try('RPUSH', redis.pcall('RPUSH', key, ''))
redis.pcall('UNLINK', key)
try('SADD', redis.pcall('SADD', key, ''))
try('SISMEMBER', redis.pcall('SISMEMBER', key, ''))
try('SMEMBERS', redis.pcall('SMEMBERS', key))
try('SMISMEMBER', redis.pcall('SMISMEMBER', key, ''))
try('SREM', redis.pcall('SREM', key, ''))
redis.pcall('UNLINK', key)
try('ZADD', redis.pcall('ZADD', key, 0, ''))
try('ZCARD', redis.pcall('ZCARD', key))
try('ZCOUNT', redis.pcall('ZCOUNT', key, 0, 0))
try('ZLEXCOUNT', redis.pcall('ZLEXCOUNT', key, '-', '+'))
try('ZMSCORE', redis.pcall('ZMSCORE', key, ''))
try('ZPOPMAX', redis.pcall('ZPOPMAX', key))
try('ZRANGE', redis.pcall('ZRANGE', key, 0, 0))
try('ZRANGEBYLEX', redis.pcall('ZRANGEBYLEX', key, '-', '+'))
try('ZRANGEBYSCORE', redis.pcall('ZRANGEBYSCORE', key, 0, 0))
try('ZRANK', redis.pcall('ZRANK', key, ''))
try('ZREM', redis.pcall('ZREM', key, ''))
try('ZREMRANGEBYSCORE', redis.pcall('ZREMRANGEBYSCORE', key, 0, 0))
try('ZREVRANGE', redis.pcall('ZREVRANGE', key, 0, 0))
try('ZREVRANGEBYSCORE', redis.pcall('ZREVRANGEBYSCORE', key, 0, 0))
try('ZSCORE', redis.pcall('ZSCORE', key, ''))
redis.pcall('UNLINK', key)
try('XADD', redis.pcall('XADD', key, '*', '', ''))
try('XDEL', redis.pcall('XDEL', key, '0-1'))
try('XLEN', redis.pcall('XLEN', key))
try('XRANGE', redis.pcall('XRANGE', key, '-', '+', 'COUNT', 1))
try('XREVRANGE', redis.pcall('XREVRANGE', key, '+', '-', 'COUNT', 1))
try('XTRIM', redis.pcall('XTRIM', key, 'MAXLEN', 0))
redis.pcall('UNLINK', key)
try('PUBLISH', redis.pcall('PUBLISH', ARGV[1], ''))
return refusals
