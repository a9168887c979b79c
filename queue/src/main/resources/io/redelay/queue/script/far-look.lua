-- Shows scheduled messages that may be packed as their time is far away, one step; changes nothing. Gives also when the first packed
-- message is due.
--
-- I6  looks at a bounded number of messages.
-- I8  reads no more than a number of bytes.
--
--@keys messages scheduled meta far far:chunks keys tries history dedup work ids
-- ARGV[1] how far away the time must be, ms, in the first step; else the due time from which to go on
-- ARGV[2] how many with that due time to pass over, or '' in the first step
-- ARGV[3] how many to look at, at most 500    ARGV[4] byte limit, which the last message may exceed
-- reply   {'OK', now, when the first packed message is due or '', '1' if there are more to look at or '0', the due time from which
--          to go on, how many with that time to pass over, then four a message: uid, due time, id or '', envelope}
--@include clock
--@include packable
local from, over = tonumber(ARGV[1]), tonumber(ARGV[2])
local count, left = tonumber(ARGV[3]), tonumber(ARGV[4])
if not over then
  from, over = now + from, 0
end
local first = string.format('%.0f', from)
local found = redis.call('ZRANGEBYSCORE', KEYS.scheduled, first, '+inf', 'WITHSCORES', 'LIMIT', over, count)
local reply = { 'OK', stamp, redis.call('ZRANGE', KEYS.far, 0, 0, 'WITHSCORES')[2] or '', '0', first, over }
local uids, fields = {}, {}
for i = 1, #found, 2 do
  uids[#uids + 1], fields[#fields + 1] = found[i], 'u:' .. found[i]
end
if #uids == 0 then
  reply[6] = string.format('%d', over)
  return reply
end
local fits, ids, looked = packable(uids), redis.call('HMGET', KEYS.ids, unpack(fields)), 0
for n, uid in ipairs(uids) do
  if left <= 0 then
    break
  end
  looked = n
  local due = found[2 * n]
  if due == first then
    over = over + 1
  else
    first, over = due, 1
  end
  local body = fits[n] and redis.call('HGET', KEYS.messages, uid)
  if body then
    local last = #reply
    reply[last + 1], reply[last + 2], reply[last + 3], reply[last + 4] = uid, due, ids[n] or '', body
    left = left - #body
  end
end
reply[4] = (looked == count or looked < #uids) and '1' or '0'
reply[5], reply[6] = first, string.format('%d', over)
return reply
