-- read_ends(body): time to live or nil, deadline or nil, and where the deadline begins and what is behind it; nothing if the envelope
-- does not begin as the store writes it. The store wrote the very first part itself; the sender's part begins with its version, the time
-- to live and the deadline.
--
-- reads    nothing
-- sets     read_ends
local function read_ends(body)
  local sent_at, at = string.match(body, '^{"sentAt":(%d+),()')
  at = at and (string.match(body, '^"dueAt":%d+,()', at) or at)
  at = at and (string.match(body, '^"id":"[^"\\]*",()', at) or at)
  at = at and string.match(body, '^"v":%d+,()', at)
  if not at then
    return nil
  end
  local life, behind = string.match(body, '^"timeToLive":(%d+),()', at)
  at = behind or at
  local from, time, rest = string.match(body, '^"deadline(%a*)":(%d+),()', at)
  return life and tonumber(life), time and tonumber(time) + (from == '' and 0 or tonumber(sent_at)), at, rest
end
