-- Shows scheduled messages that may be packed as their time is far away, one step; changes nothing. Gives also when the first packed
-- message is due.
--
-- I6  looks at a bounded number of messages.
-- I8  reads no more than a number of bytes, and no envelope that is too long to be packed.
--
--@keys messages scheduled meta far far:chunks keys tries history dedup work ids expiries seats
-- ARGV[1] how far away the time must be, ms
-- ARGV[2] the due time from which to go on, or '' to begin    ARGV[3] how many with that due time to pass over
-- ARGV[4] how many to look at, at most 500    ARGV[5] byte limit, which the last message may exceed
-- ARGV[6] how long an envelope may be, bytes
-- reply   {'OK', now, when the first packed message is due or '', '1' if there are more to look at or '0', the due time from which
--          to go on, how many with that time to pass over, then four a message: uid, due time, id or '', envelope}
--@include clock
--@include packable
--@include was_held
local from, place, over = now + ARGV[1], tonumber(ARGV[2]), 0
local count, left, longest = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if place and place >= from then
  from, over = place, tonumber(ARGV[3])
end
local first = string.format('%.0f', from)
local found = redis.call('ZRANGEBYSCORE', KEYS.scheduled, first, '+inf', 'WITHSCORES', 'LIMIT', over, count)
local reply = { 'OK', stamp, redis.call('ZRANGE', KEYS.far, 0, 0, 'WITHSCORES')[2] or '', '0', first, '' }
local uids, dues, fields = {}, {}, {}
for i = 1, #found, 2 do
  uids[#uids + 1], dues[#dues + 1], fields[#fields + 1] = found[i], found[i + 1], 'u:' .. found[i]
end
local looked, chosen, places = 0, {}, {}
local fits = #uids > 0 and packable(uids, dues)
while looked < #uids and left > 0 do
  looked = looked + 1
  local due = dues[looked]
  if due == first then
    over = over + 1
  else
    first, over = due, 1
  end
  local length = fits[looked] and redis.call('HSTRLEN', KEYS.messages, uids[looked]) or 0
  if length > 0 and length <= longest then
    chosen[#chosen + 1], places[#places + 1] = uids[looked], looked
    left = left - length
  end
end
if #chosen > 0 then
  local ids = redis.call('EXISTS', KEYS.ids) == 1 and redis.call('HMGET', KEYS.ids, unpack(fields)) or {}
  for i, body in ipairs(redis.call('HMGET', KEYS.messages, unpack(chosen))) do
    local n, last = places[i], #reply
    if not was_held(body, dues[n]) then
      reply[last + 1], reply[last + 2], reply[last + 3], reply[last + 4] = uids[n], dues[n], ids[n] or '', body
    end
  end
end
reply[4] = looked > 0 and (looked == count or looked < #uids) and '1' or '0'
reply[5], reply[6] = first, string.format('%d', over)
return reply
