-- counts(uid's entry in tries): failures, crashes or nil if there was none, and what is behind them: @ and the trace of the first
-- attempt, or ''.
--
-- reads    nothing
-- sets     counts
local function counts(entry)
  if not entry then
    return 0, nil, ''
  end
  local failures, crashes, trace = string.match(entry, '^(%d+)/?(%d*)(.*)$')
  return tonumber(failures), tonumber(crashes), trace
end
