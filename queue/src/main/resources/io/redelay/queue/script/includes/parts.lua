-- parts(head): uid, when, id ('' for none) and attributes of a message, read from its head as a send has it: see ARGV[4] of send.
--
-- reads    nothing
-- sets     parts
local function parts(head)
  local first, attributes = string.match(head, '^(%Z*)%z(%Z*%z%Z*%z%d+%z[%da]%z%d*%z1?%z?%Z*%z?%Z*)')
  local uid, when, id = string.match(first or head, '^([^+@ ]+)([+@]?%d*) ?(.*)$')
  return uid, when, id, attributes
end
