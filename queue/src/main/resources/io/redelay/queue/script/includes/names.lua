-- How a dead message is found by its id after a newer one has taken that. dead_ids has of each such message: the length of its id,
-- ':', the id, when it died in 15 digits, and its uid.
--
-- reads    dead, dead_ids, ids
-- sets     displaced_entry, displace, uid_of

local function beginning(id)
  return #id .. ':' .. id
end

local function displaced_entry(id, uid)
  return beginning(id) .. string.format('%015.0f', redis.call('ZSCORE', dead, uid) or 0) .. uid
end

-- displace(uid, id): another message takes the id of a dead one.
local function displace(uid, id)
  if redis.call('ZSCORE', dead, uid) then
    redis.call('ZADD', dead_ids, 0, displaced_entry(id, uid))
  end
end

-- uid_of(name): the uid of the message that has this id; of the last one to die of those that had it, if none has; or else the
-- name itself, which may be a uid.
local function uid_of(name)
  local uid = redis.call('HGET', ids, 'i:' .. name)
  if not uid then
    local first = beginning(name)
    local entry = redis.call('ZRANGE', dead_ids, '(' .. first .. '\255', '[' .. first, 'BYLEX', 'REV', 'LIMIT', 0, 1)[1]
    uid = entry and string.sub(entry, #first + 16)
  end
  return uid or name
end
