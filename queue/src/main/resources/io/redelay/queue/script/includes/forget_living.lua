-- forget_living(uid): removes the body and other data of a message that no lane holds. Its entry in a list stays, and a claim
-- passes over it. has_expiries: whether any message has a time to live, nil before the first look-up.
--
-- reads    expiries, history, index, messages, scheduled, tries
-- sets     has_expiries, forget_living
local has_expiries
local function forget_living(uid)
  if has_expiries == nil then
    has_expiries = redis.call('EXISTS', expiries) == 1
  end
  redis.call('HDEL', messages, uid)
  redis.call('HDEL', tries, uid)
  redis.call('HDEL', history, uid)
  redis.call('ZREM', scheduled, uid)
  index.forget_work({ uid })
  if has_expiries then
    redis.call('ZREM', expiries, uid)
  end
end
