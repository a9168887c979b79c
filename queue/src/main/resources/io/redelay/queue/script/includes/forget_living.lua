-- forget_living(index, uid): removes the body and other data of a message that no lane holds. Its entry in a list stays, and a claim
-- passes over it. index has scheduled, tries, history and expiries, too, and has_expiries: whether any message has a time to live,
-- nil before the first look-up.
--
-- reads    nothing
-- sets     forget_living
local function forget_living(index, uid)
  if index.has_expiries == nil then
    index.has_expiries = redis.call('EXISTS', index.expiries) == 1
  end
  redis.call('HDEL', index.messages, uid)
  redis.call('HDEL', index.tries, uid)
  redis.call('HDEL', index.history, uid)
  redis.call('ZREM', index.scheduled, uid)
  index.forget_work({ uid })
  if index.has_expiries then
    redis.call('ZREM', index.expiries, uid)
  end
end
