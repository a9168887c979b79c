-- Ends the script if the request is not to be carried out: of a lane that is unknown, late, or seen before, which is given what
-- it was given. Works on sent, the lane's memory, and seq.
local memory = redis.call('GET', sent)
if not memory then
  return 'GONE'
end
local last = tonumber(string.match(memory, '^%d+'))
if seq <= last then
  return seq == last and string.match(memory, ' (.*)$') or 'STALE'
end
