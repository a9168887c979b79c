-- holding_less(entry, n): the entry of a lane, see lane_entry, that holds n messages less than it says.
--
-- reads    nothing
-- sets     holding_less
local function holding_less(entry, n)
  local last, count, others = string.match(entry, '^(%d+)|(%d+)(.*)$')
  return last .. '|' .. string.format('%d', count - n) .. others
end
