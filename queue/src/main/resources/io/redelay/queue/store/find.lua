-- Looks for messages by their ids or uids; changes nothing.
--
-- I8  reads no more than a number of bytes: it may end before the last name.
--
-- KEYS[1] messages  KEYS[2] ready    KEYS[3] suspects       KEYS[4] scheduled  KEYS[5] held       KEYS[6] tries
-- KEYS[7] dead      KEYS[8] dead:messages                   KEYS[9] ids        KEYS[10] cancelled KEYS[11] history
-- KEYS[12] dead:ids  KEYS[13] waiting  KEYS[14] completed  KEYS[15] completed:messages  KEYS[16] work
-- ARGV[1] byte limit, which the last message may exceed    ARGV[2..] ids or uids, at most 500
-- reply   {'OK', now, '1' if there are more or '0', for how many names it looked, then fifteen a message that is there: see describe}
--@paste clock
local messages, scheduled, held, tries = KEYS[1], KEYS[4], KEYS[5], KEYS[6]
local dead, dead_messages, ids, cancelled, history = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local dead_ids = KEYS[12]
--@paste names
local completed, completed_messages, work = KEYS[14], KEYS[15], KEYS[16]
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
