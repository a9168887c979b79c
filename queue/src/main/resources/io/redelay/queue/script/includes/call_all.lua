-- call_all(command, key, list): calls Redis with all that a list has, so many at a time as fit in one command; not at all if it is empty.
--
-- reads    nothing
-- sets     call_all
local function call_all(command, key, list)
  local MOST = 1000 -- even, for pairs
  for from = 1, #list, MOST do
    redis.call(command, key, unpack(list, from, math.min(from + MOST - 1, #list)))
  end
end
