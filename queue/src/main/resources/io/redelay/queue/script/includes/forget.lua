-- Removes the data of messages that are gone, many at a time. Neither is needed where messages have only what plain ones have.
--
--@keys-of claim
-- reads    nothing
-- sets     forget, free_ids

-- forget(uids): removes all but their bodies and ids.
local function forget(uids)
  if #uids == 0 or redis.call('EXISTS', KEYS.tries, KEYS.cancelled, KEYS.history, KEYS.expiries) == 0 then
    return
  end
  -- A look at each costs less than to name all messages to one that is not there.
  for _, each in ipairs({ { 'HDEL', KEYS.tries }, { 'HDEL', KEYS.history }, { 'SREM', KEYS.cancelled }, { 'ZREM', KEYS.expiries } }) do
    if redis.call('EXISTS', each[2]) == 1 then
      redis.call(each[1], each[2], unpack(uids))
    end
  end
end

-- free_ids(uids): gives up the ids of messages that lived.
local function free_ids(uids)
  if #uids == 0 or redis.call('EXISTS', KEYS.ids) == 0 then
    return
  end
  local fields, free = {}, {}
  for n, uid in ipairs(uids) do
    fields[n] = 'u:' .. uid
  end
  for n, id in ipairs(redis.call('HMGET', KEYS.ids, unpack(fields))) do
    if id then
      free[#free + 1] = fields[n]
      free[#free + 1] = 'i:' .. id
    end
  end
  if #free > 0 then
    redis.call('HDEL', KEYS.ids, unpack(free))
  end
end
