-- Lists the lanes that consume from a queue, at most 1,000; changes nothing.
--
-- KEYS[1] held    KEYS[2] lanes
-- ARGV    none
-- reply   {'OK', now, then three a lane: its name, when its lease ends, how many messages it holds}
--@paste clock
--@paste marks
--@paste lane_entry
local held, lanes = KEYS[1], KEYS[2]
local reply = { 'OK', stamp }
local entries = redis.call('ZREVRANGE', lanes, 0, 999, 'WITHSCORES')
for i = 1, #entries, 2 do
  local memory = redis.call('HGET', held, OWN_FIELD .. entries[i])
  local n = #reply
  reply[n + 1], reply[n + 2] = entries[i], entries[i + 1]
  reply[n + 3] = memory and string.match(memory, COUNT) or '0'
end
return reply
