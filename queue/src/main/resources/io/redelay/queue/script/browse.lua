-- Shows a page of the messages in a state; changes nothing.
--
-- A list may have entries whose message is gone, so a page may hold fewer than were asked for. A scheduled message that is due
-- counts as ready, and comes last. Scheduled messages that are packed are not
-- shown: they stand behind all others; see far-chunks. Messages in flight are read in bounded steps, one a request, and in no order.
--
-- I8  reads no more than a number of messages and of bytes.
--
--@keys-of find
-- ARGV[1] state: 'SCHEDULED' the first due first, 'READY' the next first, 'IN_FLIGHT', 'DEAD' or 'COMPLETED' the last one first
-- ARGV[2] how many to pass over    ARGV[3] how many to show, at most 500
-- ARGV[4] byte limit, which the last message may exceed
-- ARGV[5] where to go on in held, from the previous reply; '0' at first
-- reply   {'OK', now, '1' if there are more or '0', how many were passed, shown or not, behind those to pass over,
--         where to go on in held if none was found yet or '0', how many were seen there, or of scheduled ones how many are not packed,
--         then fifteen a message: see describe}
local state, offset, count = first, tonumber(ARGV[2]), tonumber(ARGV[3])

local cursor, seen = '0', 0

local function in_flight()
  local uids = {}
  cursor = ARGV[5]
  for _ = 1, 100 do
    local page = redis.call('HSCAN', held, cursor, 'COUNT', 512)
    cursor = page[1]
    for i = 1, #page[2], 2 do
      if string.byte(page[2][i]) ~= OWN_FIELD_BYTE then
        seen = seen + 1
        if seen > offset then
          uids[#uids + 1] = page[2][i]
        end
      end
    end
    if #uids > count then
      cursor = '0'
    end
    if cursor == '0' then
      break
    end
  end
  return uids
end

-- Appends the entries of a list from `offset` on, `left` at most; gives the offset into the list that follows.
local uids = {}
local function append(offset, length, range)
  local left = count + 1 - #uids -- one more than is shown, which shows whether there are more
  if offset < length and left > 0 then
    for _, uid in ipairs(range(offset, math.min(length, offset + left) - 1)) do
      uids[#uids + 1] = uid
    end
  end
  return math.max(0, offset - length)
end

local last = offset + count
local overdue = redis.call('ZCOUNT', scheduled, '-inf', now)
if state == 'SCHEDULED' then
  uids = redis.call('ZRANGE', scheduled, overdue + offset, overdue + last)
elseif state == 'DEAD' then
  uids = redis.call('ZREVRANGE', dead, offset, last)
elseif state == 'COMPLETED' then
  uids = redis.call('ZREVRANGE', completed, offset, last)
elseif state == 'READY' then
  for _, list in ipairs({ suspects, ready }) do
    offset = append(offset, redis.call('LLEN', list), function(from, to)
      return redis.call('LRANGE', list, from, to)
    end)
  end
  offset = append(offset, redis.call('ZCARD', waiting), function(from, to)
    local members = redis.call('ZRANGE', waiting, from, to)
    for i, member in ipairs(members) do
      members[i] = string.sub(member, (string.find(member, '\0', 1, true) or 0) + 32)
    end
    return members
  end)
  append(offset, overdue, function(from, to)
    return redis.call('ZRANGE', scheduled, from, to)
  end)
else
  uids = in_flight()
end

local left = tonumber(ARGV[4])
local reply, passed = { 'OK', stamp, '', '', '', '' }, 0
while passed < count and uids[passed + 1] and left > 0 do
  passed = passed + 1
  if state_of(uids[passed], now) == state then
    left = left - describe(reply, uids[passed], now)
  end
end
local are_packed = state == 'SCHEDULED' and redis.call('HEXISTS', KEYS.meta, 'far') == 1
seen = state == 'SCHEDULED' and redis.call('ZCARD', scheduled) - overdue or seen
reply[3], reply[4] = (uids[passed + 1] or cursor ~= '0' or are_packed) and '1' or '0', string.format('%d', passed)
reply[5], reply[6] = passed == 0 and cursor or '0', string.format('%d', seen)
return reply
