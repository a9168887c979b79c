-- How a dead message is found by its id after a newer one has taken that. dead_ids has of each such message: the length of its id,
-- ':', the id, when it died in 15 digits, and its uid.
--
-- reads    nothing
-- sets     displaced_entry, displace, uid_of

local function displaced_entry(dead, uid, id)
  return #id .. ':' .. id .. string.format('%015.0f', redis.call('ZSCORE', dead, uid) or 0) .. uid
end

-- displace(dead, dead_ids, uid, id): another message takes the id of a dead one.
local function displace(dead, dead_ids, uid, id)
  if redis.call('ZSCORE', dead, uid) then
    redis.call('ZADD', dead_ids, 0, displaced_entry(dead, uid, id))
  end
end

-- uid_of(ids, dead_ids, name): the uid of the message that has this id; of the last one to die of those that had it, if none has; or
-- else the name itself, which may be a uid.
local function uid_of(ids, dead_ids, name)
  local uid = redis.call('HGET', ids, 'i:' .. name)
  if not uid then
    local first = #name .. ':' .. name
    local entry = redis.call('ZRANGE', dead_ids, '(' .. first .. '\255', '[' .. first, 'BYLEX', 'REV', 'LIMIT', 0, 1)[1]
    uid = entry and string.sub(entry, #first + 16)
  end
  return uid or name
end
