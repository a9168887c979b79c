-- counts(uid's entry in tries): failures, crashes or nil if there was none, and the text behind them: @ and the trace of the first
-- attempt, or ''. Of an entry in an unknown form it gives the parts that can be read.
--
-- reads    nothing
-- sets     counts
local function counts(entry)
  if not entry then
    return 0, nil, ''
  end
  local failures, crashes, trace = string.match(entry, '^(%d+)/?(%d*)(.*)$')
  return math.min(tonumber(failures) or 0, 1e9), tonumber(crashes), trace or ''
end
