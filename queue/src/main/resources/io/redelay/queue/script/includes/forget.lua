-- Removes the data of messages that are gone, many at a time.
--
-- reads    cancelled, expiries, has_extras, history, ids, tries
-- sets     forget, free_ids

-- forget(uids): removes the data of messages that are gone, but for their bodies.
local function forget(uids)
  if #uids == 0 or not has_extras or redis.call('EXISTS', tries, cancelled, history, expiries) == 0 then
    return
  end
  redis.call('HDEL', tries, unpack(uids))
  redis.call('HDEL', history, unpack(uids))
  redis.call('SREM', cancelled, unpack(uids))
  redis.call('ZREM', expiries, unpack(uids))
end

-- free_ids(uids): gives up the ids of messages that lived and are gone.
local function free_ids(uids)
  if #uids == 0 or not has_extras or redis.call('EXISTS', ids) == 0 then
    return
  end
  local fields, free = {}, {}
  for n, uid in ipairs(uids) do
    fields[n] = 'u:' .. uid
  end
  for n, id in ipairs(redis.call('HMGET', ids, unpack(fields))) do
    if id then
      free[#free + 1] = fields[n]
      free[#free + 1] = 'i:' .. id
    end
  end
  if #free > 0 then
    redis.call('HDEL', ids, unpack(free))
  end
end
