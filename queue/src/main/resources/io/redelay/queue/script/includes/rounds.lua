-- In how many rounds of its queue's rule a message has been redriven: a property of its envelope, right behind the time to live and
-- the deadline. A message that was not redriven by the rule has no such property.
--
-- rounds_of(body): the number, and where it stands or would; nil if the envelope does not begin as the store writes it, so that no
-- round can be counted.
--
-- reads    read_ends
-- sets     rounds_of
local function rounds_of(body)
  local _, _, at, behind = read_ends(body)
  at = behind or at
  return at and tonumber(string.match(body, '^"redriven":(%d+),', at) or 0), at
end
