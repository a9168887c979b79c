-- Shows messages that have a tag, those that live or are dead first, each by its uid; changes nothing. A message that moves meanwhile
-- may be shown again, or not at all if it gets another uid.
--
-- I8  reads no more than a number of messages and of bytes: it may end before there are as many as may be shown.
--
--@keys-of find
--@keys tags completed:tags
-- ARGV[1] byte limit, which the last message may exceed    ARGV[2] tag    ARGV[3] how many to show, at most 500
-- ARGV[4] where to go on, from the previous reply; '' at first
-- ARGV[5] '1' to show the messages, '' to show only their states
-- reply   {'OK', now, where to go on or '' if all were shown, how many were passed, then fifteen a message: see describe; or three, if
--         they are not shown: uid, state, time of death if it is dead or ''}
local left, tag, count, shows = tonumber(first), ARGV[2], tonumber(ARGV[3]), ARGV[5] == '1'
local COMPLETED = 'c' -- before the uid of a completed message in the place to go on at
local section, last = string.match(ARGV[4], '^([lc])(.+)$')

local found = {} -- places, one more than are shown, which shows whether there are more
local function look(key, mark, from)
  local first = from and '(' .. tag .. '\0' .. from or '[' .. tag .. '\0'
  for _, member in ipairs(redis.call('ZRANGEBYLEX', key, first, '(' .. tag .. '\1', 'LIMIT', 0, count + 1 - #found)) do
    found[#found + 1] = mark .. string.sub(member, #tag + 2)
  end
end
if section ~= COMPLETED then
  look(KEYS.tags, 'l', last)
end
if #found <= count then
  look(KEYS.completed_tags, COMPLETED, section == COMPLETED and last)
end

local reply, passed = { 'OK', stamp, '', '' }, 0
while passed < count and found[passed + 1] and left > 0 do
  passed = passed + 1
  local uid = string.sub(found[passed], 2)
  if shows then
    left = left - describe(reply, uid, now)
  else
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = uid, state_of(uid, now), redis.call('ZSCORE', dead, uid) or ''
  end
end
reply[3], reply[4] = found[passed + 1] and found[passed] or '', string.format('%d', passed)
return reply
