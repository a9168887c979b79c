-- selected(packed, marks): those of the messages that have a '1' among the marks, of which there is one for each, packed as they were.
--
-- reads    nothing
-- sets     selected
local function selected(packed, marks)
  local HEAD_LENGTH, BODY_LENGTH = '>I2', '>I4'
  local chosen, at, position = {}, 1, 1
  while at <= #packed do
    local begins = at
    local head_length, head_at = struct.unpack(HEAD_LENGTH, packed, at)
    local body_length, body_at = struct.unpack(BODY_LENGTH, packed, head_at + head_length)
    at, position = body_at + body_length, position + 1
    if string.byte(marks, position - 1) == 49 then -- 1
      chosen[#chosen + 1] = string.sub(packed, begins, at - 1)
    end
  end
  return table.concat(chosen)
end
