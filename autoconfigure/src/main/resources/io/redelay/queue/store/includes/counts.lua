-- counts(uid's entry in tries): failures, and crashes or nil if there was none.
--
-- reads    nothing
-- sets     counts
local function counts(entry)
  if not entry then
    return 0, nil
  end
  local failures, crashes = string.match(entry, '^(%d+)/?(%d*)$')
  return tonumber(failures), tonumber(crashes)
end
