-- Ends the script if the request is not to be carried out: its lane is unknown or behind, or it is late or repeated. A repeated one
-- gets its first reply. A number that is ahead of the last one by more than one shows that Redis went back in time: answered requests
-- are missing (I9). The lane's memory is in the key sent.
--
-- reads    sent, seq, stamp
-- sets     nothing
-- ends     with GONE, BEHIND, STALE or the first reply to the request
local memory = redis.call('GET', sent)
if not memory then
  return 'GONE ' .. stamp
end
local last = tonumber(string.match(memory, '^%d+'))
if seq <= last then
  return seq == last and string.match(memory, ' (.*)$') or 'STALE'
elseif seq > last + 1 then
  return 'BEHIND ' .. stamp
end
