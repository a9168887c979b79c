-- plus(key, field, n): adds to a count in a hash, and gives it. A value that is no number counts as 0.
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
