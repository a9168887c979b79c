-- parts(head): uid, when, id ('' for none) and attributes of a message, read from its head as a send has it: see ARGV[4] of send.
-- messages_in(packed): for a loop over the messages of a request: position from 0, the envelope from behind its opening brace, and parts.
-- An envelope that is not there is an error, so all messages are read before the first write.
--
-- reads    nothing
-- sets     messages_in, parts
local function parts(head)
  if not string.find(head, '\0', 1, true) then
    return head, '', ''
  end
  local uid, when, id, at = struct.unpack('sss', head)
  return uid, when, id, at <= #head and string.sub(head, at) or nil
end

local function messages_in(packed)
  local at, position = 1, -1
  return function()
    if at <= #packed then
      local head, body
      head, body, at = struct.unpack('>I2c0I4c0', packed, at)
      position = position + 1
      if body == '' then
        error('a message has no envelope')
      end
      return position, body, parts(head)
    end
  end
end
