-- uid_of(ids, dead_ids, name): the uid of the message that has this id; of the last one to die of those that had it, if none has; or
-- else the name itself, which may be a uid.
-- See displaced.
--
-- reads    nothing
-- sets     uid_of
local function uid_of(ids, dead_ids, name)
  local uid = redis.call('HGET', ids, 'i:' .. name)
  if not uid then
    local first = #name .. ':' .. name
    local entry = redis.call('ZRANGE', dead_ids, '(' .. first .. '\255', '[' .. first, 'BYLEX', 'REV', 'LIMIT', 0, 1)[1]
    uid = entry and string.sub(entry, #first + 16)
  end
  return uid or name
end
