-- expiry(body, due): when the time to live of a message is over that is due then, or nil if it has none. The store wrote the
-- beginning of the envelope itself, and what the sender wrote begins with its version and the time to live.
--
-- reads    nothing
-- sets     expiry
local function expiry(body, due)
  local rest = string.gsub(string.match(body, '^{"sentAt":%d+,(.*)$') or '', '^"dueAt":%d+,', '')
  local life = string.match(string.gsub(rest, '^"id":"[^"\\]*",', ''), '^"v":%d+,"timeToLive":(%d+),')
  return life and due + tonumber(life)
end
