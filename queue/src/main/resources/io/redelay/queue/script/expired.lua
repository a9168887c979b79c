-- Shows messages that wait although their time to live or their deadline is over, the earliest first.
--
-- Safe to repeat (I3). Held and packed messages are checked again ten seconds later.
-- I6  looks at 500 entries at most.
-- I7  the first write deletes.
-- I8  reads no more than a number of bytes.
--
--@keys-of find
--@keys expiries
-- ARGV[1] byte limit, which the last message may exceed
-- reply   {'OK', now, '1' if there are more or '0', how many entries were gone through, then fifteen a message: see describe}
local expiries, left = KEYS.expiries, tonumber(first)
local uids = redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 501)
local reply, passed = { 'OK', stamp, '', '' }, 0
while passed < 500 and uids[passed + 1] and left > 0 do
  passed = passed + 1
  local uid = uids[passed]
  local state, _, chunk = state_of(uid, now)
  if (state == 'SCHEDULED' or state == 'READY') and not chunk then
    left = left - describe(reply, uid, now)
  else
    redis.call('ZREM', expiries, uid)
    if state == 'IN_FLIGHT' or chunk then
      redis.call('ZADD', expiries, now + 10000, uid)
    end
  end
end
reply[3], reply[4] = uids[passed + 1] and '1' or '0', string.format('%d', passed)
return reply
