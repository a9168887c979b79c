-- rest(held, lanes, last_deadline): lets both keys of lanes expire while no lane holds anything, some time after the last lane has
-- died. A script that makes a lane hold something removes the expiry. last_deadline: when that lane dies, if the caller knows that it is
-- the only one and holds nothing; else nil. Gives whether no lane holds anything.
--
-- reads    nothing
-- sets     rest
local function rest(held, lanes, last_deadline)
  if not last_deadline then
    if redis.call('HLEN', held) ~= redis.call('ZCARD', lanes) then
      return false
    end
    last_deadline = redis.call('ZRANGE', lanes, -1, -1, 'WITHSCORES')[2]
  end
  if last_deadline then
    local expiry = string.format('%.0f', last_deadline + 60000)
    redis.call('PEXPIREAT', held, expiry)
    redis.call('PEXPIREAT', lanes, expiry)
  end
  return true
end
