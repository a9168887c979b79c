-- due_time(when, now): '' now, '+ms' after, '@ms' at. A delay starts with the next full millisecond: never early.
--
-- reads    nothing
-- sets     due_time
local function due_time(when, now)
  local AT_BYTE = 64 -- @
  if when == '' then
    return now
  elseif string.byte(when) == AT_BYTE then
    return tonumber(string.sub(when, 2))
  end
  return now + 1 + tonumber(string.sub(when, 2))
end
