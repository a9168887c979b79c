-- plus(key, field, n): adds to a count in a hash, and gives it. What is no number there begins anew.
--
-- reads    nothing
-- sets     plus
local function plus(key, field, n)
  local sum = redis.pcall('HINCRBY', key, field, n)
  if type(sum) ~= 'number' then
    redis.call('HSET', key, field, n)
    return n
  end
  return sum
end
