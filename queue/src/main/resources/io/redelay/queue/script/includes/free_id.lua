-- free_id(ids, uid): gives up the id of a message that is gone, unless another one has taken it.
--
-- reads    nothing
-- sets     free_id
local function free_id(ids, uid)
  local id = redis.call('HGET', ids, 'u:' .. uid)
  if id then
    redis.call('HDEL', ids, 'u:' .. uid)
    if redis.call('HGET', ids, 'i:' .. id) == uid then
      redis.call('HDEL', ids, 'i:' .. id)
    end
  end
end
