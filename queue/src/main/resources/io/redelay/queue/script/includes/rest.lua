-- When the keys of lanes expire.
--
-- reads    nothing
-- sets     expire, rest

-- expire(held, lanes, last_deadline): lets both keys expire some time after the last lane has died.
local function expire(held, lanes, last_deadline)
  local expiry = string.format('%.0f', last_deadline + 60000)
  redis.call('PEXPIREAT', held, expiry)
  redis.call('PEXPIREAT', lanes, expiry)
end

-- rest(held, lanes): lets both keys expire while no lane holds anything. A script that makes a lane hold something removes the
-- expiry. Gives whether no lane holds anything.
local function rest(held, lanes)
  if redis.call('HLEN', held) ~= redis.call('ZCARD', lanes) then
    return false
  end
  local last_deadline = redis.call('ZRANGE', lanes, -1, -1, 'WITHSCORES')[2]
  if last_deadline then
    expire(held, lanes, last_deadline)
  end
  return true
end
