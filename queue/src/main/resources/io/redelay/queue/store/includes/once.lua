-- Ends the script if the request is not to be carried out: of a lane that is unknown, behind, late, or seen before, which is
-- given what it was given. A number that is ahead of the last one by more than one tells that Redis went back in time: requests
-- that were answered are missing (I9). The lane's memory is in the key sent.
--
-- reads    sent, seq, stamp
-- sets     nothing
-- ends     with GONE, BEHIND, STALE or the reply to the request when it came first
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
