-- Looks up a key to deduplicate by, in each of the modes, which have keys of their own; changes nothing.
--
--@keys dedup dedup:expiries ids
-- ARGV[1] the key
-- reply   {'OK', now, and of each mode in which a message has the key: f, d or a, the message's id or uid, when the key ends or '' if
--          it does so with its message, how many payloads have gathered or 0}
--@include clock
local dedup, dedup_expiries, ids = KEYS.dedup, KEYS.dedup_expiries, KEYS.ids
local reply = { 'OK', stamp }
for _, way in ipairs({ 'f', 'd', 'a' }) do
  local name = way .. ':' .. ARGV[1]
  local ends, entry = redis.call('ZSCORE', dedup_expiries, name), redis.call('HGET', dedup, name)
  local uid, rest = string.match(entry or '', '^(%S+) ?(.*)$')
  if uid and ends and (ends == 'inf' or tonumber(ends) > now) then
    local n = #reply
    reply[n + 1] = way
    reply[n + 2] = way == 'f' and rest ~= '' and rest or redis.call('HGET', ids, 'u:' .. uid) or uid
    reply[n + 3] = ends == 'inf' and '' or ends
    reply[n + 4] = way == 'a' and string.match(rest, '^%d+ (%d+)') or '0'
  end
end
return reply
