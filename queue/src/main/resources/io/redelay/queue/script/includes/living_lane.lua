-- Ends for a dead lane, and for one of which Redis does not remember an answered request: Redis went back in time then.
--
-- reads    ARGV[3], OWN_FIELD, held, lane, lanes
-- sets     memory
-- ends     with GONE or BEHIND
if not redis.call('ZSCORE', lanes, lane) then
  return { 'GONE' }
end
local memory = redis.call('HGET', held, OWN_FIELD .. lane)
if not memory or tonumber(string.match(memory, '^%d+')) < tonumber(ARGV[3]) then
  return { 'BEHIND' }
end
