-- One EXISTS of three keys, as each call costs: one counts once, one twice and one four times, so the sum shows which of them
-- are there. somebody_sleeps: whether there is a sleeper; settings: longest, closed and line of meta.
--
-- reads    known, meta, sleepers, stamp
-- sets     somebody_sleeps, settings
-- ends     with DELETED
local found = redis.call('EXISTS', known, meta, meta, sleepers, sleepers, sleepers, sleepers)
if found % 2 == 0 then
  return 'DELETED ' .. stamp
end
local settings = found % 4 > 1 and redis.call('HMGET', meta, 'longest', 'closed', 'line') or {}
local somebody_sleeps = found > 3
