-- Reads new batches of the feed; changes nothing.
--
-- I6  bounded by the number of batches.
--
--@keys events
-- ARGV[1] the last entry that was read, or nothing to begin behind the last one there is    ARGV[2] how many batches at most
-- reply   the last entry that was read by now; then three a batch: its source, the number of the first event, the events
local events, after = KEYS.events, ARGV[1]
if after == '' then
  local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
  return { last and last[1] or '0-0' }
end
local reply = { after }
for _, entry in ipairs(redis.call('XRANGE', events, '(' .. after, '+', 'COUNT', ARGV[2])) do
  local fields = entry[2]
  reply[1] = entry[1]
  reply[#reply + 1] = fields[2]
  reply[#reply + 1] = fields[4]
  reply[#reply + 1] = fields[6]
end
return reply
