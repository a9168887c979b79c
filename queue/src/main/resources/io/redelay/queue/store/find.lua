-- Looks for messages by their ids or uids; changes nothing.
--
-- I8  reads no more than a number of bytes: it may end before the last name.
--
--@keys messages ready suspects scheduled held tries dead dead:messages ids cancelled history dead:ids waiting completed
--@keys completed:messages work
-- ARGV[1] byte limit, which the last message may exceed    ARGV[2..] ids or uids, at most 500
-- reply   {'OK', now, '1' if there are more or '0', for how many names it looked, then fifteen a message that is there: see describe}
--@paste clock
local messages, scheduled, held, tries = KEYS.messages, KEYS.scheduled, KEYS.held, KEYS.tries
local dead, dead_messages, ids, cancelled, history = KEYS.dead, KEYS.dead_messages, KEYS.ids, KEYS.cancelled, KEYS.history
local dead_ids = KEYS.dead_ids
--@paste names
local completed, completed_messages, work = KEYS.completed, KEYS.completed_messages, KEYS.work
--@paste completed_names
--@paste state
--@paste describe
local left = tonumber(ARGV[1])
local reply, last = { 'OK', stamp, '', '' }, 1
while last < #ARGV and left > 0 do
  last = last + 1
  left = left - describe(reply, named_or_completed(uid_of(ARGV[last]), ARGV[last]))
end
reply[3], reply[4] = last < #ARGV and '1' or '0', string.format('%d', last - 1)
return reply
