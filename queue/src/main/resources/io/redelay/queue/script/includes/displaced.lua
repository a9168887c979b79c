-- How a dead message is found by its id after a newer one has taken that. dead_ids has of each such message: the length of its id,
-- ':', the id, when it died in 15 digits, and its uid.
-- displaced_entry(dead, uid, id): what dead_ids has.
--
-- reads    nothing
-- sets     displaced_entry
local function displaced_entry(dead, uid, id)
  return #id .. ':' .. id .. string.format('%015.0f', redis.call('ZSCORE', dead, uid) or 0) .. uid
end
