-- When the keys of lanes go by themselves.
--
-- reads    nothing
-- sets     expire, rest

-- expire(held, lanes, last_deadline): lets both keys go by themselves some time after the last lane has died.
local function expire(held, lanes, last_deadline)
  local expiry = string.format('%.0f', last_deadline + 60000)
  redis.call('PEXPIREAT', held, expiry)
  redis.call('PEXPIREAT', lanes, expiry)
end

-- rest(held, lanes): while no lane holds anything, both keys go by themselves. Whoever makes a lane hold something takes the
-- expiry off. Gives whether no lane holds anything.
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
