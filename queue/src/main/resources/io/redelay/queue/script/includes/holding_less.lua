-- holding_less(entry, n): the entry of a lane, see lane_entry, that holds n messages less than it says; one that cannot be read stays.
--
-- reads    nothing
-- sets     holding_less
local function holding_less(entry, n)
  local last, count, rest = string.match(entry, '^(%d+)|(%d+)(.*)$')
  return not last and entry or last .. '|' .. string.format('%d', count - n) .. rest
end
