-- counts(uid's entry in tries): failures, crashes or nil if there was none. Written by hand in deliver, too.
local function counts(entry)
  if not entry then
    return 0, nil
  end
  local failures, crashes = string.match(entry, '^(%d+)/?(%d*)$')
  return tonumber(failures), tonumber(crashes)
end
