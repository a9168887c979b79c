-- memory_of_lane(lane, last): the record of a lane; else nil, and GONE if the lane is dead, BEHIND if Redis does not remember the
-- answered request last: Redis went back in time then.
--
-- reads    KEYS.held, KEYS.lanes, OWN_FIELD
-- sets     memory_of_lane
local function memory_of_lane(lane, last)
  if not redis.call('ZSCORE', KEYS.lanes, lane) then
    return nil, 'GONE'
  end
  local memory = redis.call('HGET', KEYS.held, OWN_FIELD .. lane)
  if not memory or tonumber(string.match(memory, '^%d+')) < last then
    return nil, 'BEHIND'
  end
  return memory
end
