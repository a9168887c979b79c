-- displace(dead, dead_ids, uid, id): another message takes the id of a dead one.
-- See displaced.
--
-- reads    nothing
-- sets     displace, displaced_entry
--@include displaced
local function displace(dead, dead_ids, uid, id)
  if redis.call('ZSCORE', dead, uid) then
    redis.call('ZADD', dead_ids, 0, displaced_entry(dead, uid, id))
  end
end
