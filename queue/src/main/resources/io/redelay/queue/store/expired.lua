-- Shows messages that wait although their time to live or their deadline is over, the earliest first.
--
-- Safe to repeat (I3). Held messages are checked again ten seconds later.
-- I6  looks at 500 entries at most.
-- I7  the first write deletes.
-- I8  reads no more than a number of bytes.
--
-- KEYS[1] messages  KEYS[2] ready    KEYS[3] suspects       KEYS[4] scheduled  KEYS[5] held       KEYS[6] tries
-- KEYS[7] dead      KEYS[8] dead:messages                   KEYS[9] ids        KEYS[10] cancelled KEYS[11] history
-- KEYS[12] dead:ids  KEYS[13] waiting  KEYS[14] completed  KEYS[15] completed:messages  KEYS[16] work  KEYS[17] expiries
-- ARGV[1] byte limit, which the last message may exceed
-- reply   {'OK', now, '1' if there are more or '0', how many entries were gone through, then fifteen a message: see describe}
--@paste clock
local messages, scheduled, held, tries = KEYS[1], KEYS[4], KEYS[5], KEYS[6]
local dead, dead_messages, ids, cancelled, history = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local expiries, left = KEYS[17], tonumber(ARGV[1])
local completed, completed_messages, work = KEYS[14], KEYS[15], KEYS[16]
--@paste state
--@paste describe
local uids = redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 501)
local reply, passed = { 'OK', stamp, '', '' }, 0
while passed < 500 and uids[passed + 1] and left > 0 do
  passed = passed + 1
  local uid = uids[passed]
  local state = state_of(uid)
  if state == 'SCHEDULED' or state == 'READY' then
    left = left - describe(reply, uid)
  else
    redis.call('ZREM', expiries, uid)
    if state == 'IN_FLIGHT' then
      redis.call('ZADD', expiries, now + 10000, uid)
    end
  end
end
reply[3], reply[4] = uids[passed + 1] and '1' or '0', string.format('%d', passed)
return reply
