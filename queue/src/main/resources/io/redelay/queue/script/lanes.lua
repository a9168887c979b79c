-- Lists the lanes that consume from a queue, at most 1,000; changes nothing.
--
--@keys held lanes
-- ARGV    none
-- reply   {'OK', now, then three a lane: its name, when its lease ends, how many messages it holds}
--@include clock
--@include own_field
--@include held_count
local held, lanes = KEYS.held, KEYS.lanes
local reply = { 'OK', stamp }
local entries = redis.call('ZREVRANGE', lanes, 0, 999, 'WITHSCORES')
for i = 1, #entries, 2 do
  local memory = redis.call('HGET', held, OWN_FIELD .. entries[i])
  local n = #reply
  reply[n + 1], reply[n + 2] = entries[i], entries[i + 1]
  reply[n + 3] = memory and string.match(memory, COUNT) or '0'
end
return reply
