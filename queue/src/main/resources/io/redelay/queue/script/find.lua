-- Looks for messages by their ids or uids; changes nothing.
--
-- I8  reads no more than a number of bytes: it may end before the last name.
--
--@keys messages ready suspects scheduled held tries dead dead:messages ids cancelled history dead:ids waiting completed
--@keys completed:messages work meta
-- ARGV[1] byte limit, which the last message may exceed    ARGV[2..] ids or uids, at most 500
-- reply   {'OK', now, '1' if there are more or '0', for how many names it looked, then fifteen a message that is there: see describe}
--
-- tagged, expired, outcomes, browse and scan are sent within this script. ARGV[1] has the name of one and a blank before its own first
-- argument.
--@include clock
local messages, ready, suspects, scheduled, held = KEYS.messages, KEYS.ready, KEYS.suspects, KEYS.scheduled, KEYS.held
local dead, dead_messages, ids, dead_ids = KEYS.dead, KEYS.dead_messages, KEYS.ids, KEYS.dead_ids
local waiting, completed, completed_messages = KEYS.waiting, KEYS.completed, KEYS.completed_messages
local first, script = ARGV[1], nil
if not tonumber(first) then
  script, first = string.match(first, '^(%S+) (.*)$')
end
--@include names
--@include state
--@include completed_names
--@include describe
--@include own_field
if script == 'tagged' then
  --@script tagged
elseif script == 'expired' then
  --@script expired
elseif script == 'outcomes' then
  --@script outcomes
elseif script == 'browse' then
  --@script browse
elseif script == 'scan' then
  --@script scan
end
local left = tonumber(first)
local reply, last = { 'OK', stamp, '', '' }, 1
while last < #ARGV and left > 0 do
  last = last + 1
  left = left - describe(reply, named_or_completed(uid_of(ids, dead_ids, ARGV[last]), ARGV[last]), now)
end
reply[3], reply[4] = last < #ARGV and '1' or '0', string.format('%d', last - 1)
return reply
