-- In how many rounds of its queue's rule a message has been redriven: a property of its envelope, right behind the time to live and
-- the deadline. A message that was not redriven by the rule has no such property.
--
-- rounds_of(body): the number; nil if the envelope does not begin as the store writes it, so that no round can be counted.
-- with_rounds(body, rounds): the envelope with that number, none if that is 0; the same envelope if rounds_of gives nil.
--
-- reads    read_ends
-- sets     rounds_of, with_rounds
local function rounds_place(body)
  local _, _, at, behind = read_ends(body)
  return behind or at
end

local function rounds_of(body)
  local at = rounds_place(body)
  return at and tonumber(string.match(body, '^"redriven":(%d+),', at) or 0)
end

local function with_rounds(body, rounds)
  local at = rounds_place(body)
  if not at then
    return body
  end
  local rest = string.match(body, '^"redriven":%d+,()', at) or at
  return string.sub(body, 1, at - 1) .. (rounds > 0 and string.format('"redriven":%d,', rounds) or '') .. string.sub(body, rest)
end
