-- forget_living(uid): removes the body of a message that nobody holds, and what is known of it. Its entry in a list stays
-- and is passed over by whoever meets it.
local has_expiries = redis.call('EXISTS', expiries) == 1
local function forget_living(uid)
  redis.call('HDEL', messages, uid)
  redis.call('HDEL', tries, uid)
  redis.call('HDEL', history, uid)
  redis.call('ZREM', scheduled, uid)
  if has_expiries then
    redis.call('ZREM', expiries, uid)
  end
end
