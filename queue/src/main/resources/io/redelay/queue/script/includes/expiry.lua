-- Time to live and deadline, read from the beginning of an envelope; see read_ends.
--
-- expiry(body, due): when the time to live of a message that is due then is over, or its deadline, if that is earlier; nil if it has
-- neither.
-- deadline_of(body): until when a message is handled, over all attempts, or nil.
-- without_deadline(body): the envelope without its deadline.
-- new_expiry(times, body, due, now): the expiry of a message that is added now: times and body are the store's and the sender's part.
--
-- reads    nothing
-- sets     deadline_of, expiry, new_expiry, read_ends, without_deadline

--@include read_ends
local function expiry(body, due)
  local life, deadline = read_ends(body)
  local ends = life and due + life
  return ends and deadline and math.min(ends, deadline) or ends or deadline
end

-- Most have neither, which the letter behind the version shows; it costs less than to look for both in the whole.
local function new_expiry(times, body, due, now)
  local VERSION = '"v":1,"'
  if string.sub(body, 1, 7) ~= VERSION then
    return expiry(times .. body, due)
  end
  local letter = string.byte(body, 8)
  if letter ~= 116 and letter ~= 100 then -- t, d
    return nil
  end
  local life, at = string.match(body, '^timeToLive":(%d+),"()', 8)
  local from, time = string.match(body, '^deadline(%a*)":(%d+),', at or 8)
  local ends = life and due + life
  local deadline = time and tonumber(time) + (from == '' and 0 or now)
  return ends and deadline and math.min(ends, deadline) or ends or deadline
end

local function deadline_of(body)
  local _, deadline = read_ends(body)
  return deadline
end

local function without_deadline(body)
  local _, deadline, at, rest = read_ends(body)
  return deadline and string.sub(body, 1, at - 1) .. string.sub(body, rest) or body
end
