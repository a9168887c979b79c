-- Gives the states of messages, by their ids or uids, without their bodies; changes nothing.
--
-- I8  reads no more than a number of bytes: it may end before the last name.
--
--@keys-of find
-- ARGV[1] byte limit, which the last one may exceed    ARGV[2..] ids or uids, at most 500
-- reply   {'OK', now, then two a name that it looked up: its state, and the cause of a dead message, the result of a completed one,
--         @ and the number of its chunk of a packed one, or ''}
local left = tonumber(first)
local reply = { 'OK', stamp }
for i = 2, #ARGV do
  if left <= 0 then
    break
  end
  local uid = named_or_completed(uid_of(ids, dead_ids, ARGV[i]), ARGV[i])
  local state, _, detail = state_of(uid, now)
  if state == 'DEAD' then
    detail = redis.call('HGET', dead_messages, uid .. '/cause')
  elseif state == 'COMPLETED' then
    detail = redis.call('HGET', completed_messages, uid .. '/result')
  end
  detail = detail or ''
  left = left - #detail
  local n = #reply
  reply[n + 1], reply[n + 2] = state, detail
end
return reply
