-- Reads the kept messages that were published to a topic, one step; changes nothing. A replay uses it to apply the filter of a group.
--
--@keys log
-- KEYS.log    published messages
-- ARGV[1] the first entry, or '(' and the last one that was read    ARGV[2] the last entry, or '+'
-- ARGV[3] how many entries at most    ARGV[4] how many bytes, of which the last one may be more
-- reply   {the last entry to give, and of each entry its id and its message as send.lua is given it}
local log, first, last_id, most, max_bytes = KEYS.log, ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if last_id == '+' then
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  last_id = newest and newest[1] or '0-0'
end
local reply, bytes, reached = { last_id }, 0, nil
for _ = 1, most do
  local entry = redis.call('XRANGE', log, reached and '(' .. reached or first, last_id, 'COUNT', 1)[1]
  if not entry or bytes >= max_bytes then
    break
  end
  reached = entry[1]
  local n = #reply
  reply[n + 1], reply[n + 2] = reached, entry[2][2]
  bytes = bytes + #entry[2][2]
end
return reply
