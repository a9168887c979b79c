-- One look of a send at three keys, for each call costs: one counts once, one twice and one four times, so the sum tells which there
-- are. somebody_sleeps: whether there is a sleeper; settings: longest, closed and line of meta.
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
