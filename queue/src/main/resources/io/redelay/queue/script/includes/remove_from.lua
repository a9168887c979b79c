-- remove_from(list, uid): takes a uid out of a list, if it is among the first 5,000. Gives whether it was there.
--
-- reads    nothing
-- sets     remove_from
local function remove_from(list, uid)
  return redis.call('LPOS', list, uid, 'MAXLEN', 5000) and redis.call('LREM', list, 1, uid) == 1
end
