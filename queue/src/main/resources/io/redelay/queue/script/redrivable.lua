-- Lists dead messages, the first one to die first: the cause of each and in how many rounds of the queue's rule it was redriven;
-- changes nothing.
--
-- I8  reads no more than a number of entries and of bytes.
--
--@keys dead dead:messages
-- ARGV[1] the uid behind which to begin, or '' for the first one    ARGV[2] when that one died, from where to begin if it is gone
-- ARGV[3] for how long they have been dead at least, ms             ARGV[4] by when they have died, ms, or '' for any time
-- ARGV[5] how many to list, at most 500                             ARGV[6] byte limit, which the last one may exceed
-- reply   {'OK', now, '1' if there are more that have been dead for as long or '0', when the first one died that has not or '', then
--         four a message: uid, time of death, reason or '' if it is not known, rounds or '' if they cannot be counted}
--@include clock
--@include read_ends
--@include rounds
local dead, dead_messages = KEYS.dead, KEYS.dead_messages
local latest = math.min(now - tonumber(ARGV[3]), tonumber(ARGV[4]) or now)
local count, left = tonumber(ARGV[5]), tonumber(ARGV[6])

local rank = ARGV[1] ~= '' and redis.call('ZRANK', dead, ARGV[1])
local from = rank and rank + 1 or ARGV[1] ~= '' and redis.call('ZCOUNT', dead, '-inf', '(' .. ARGV[2]) or 0
local entries = redis.call('ZRANGE', dead, from, from + count, 'WITHSCORES')
local reply, listed = { 'OK', stamp, '0', '' }, 0
local function is_due()
  local died = entries[2 * listed + 2]
  return died and tonumber(died) <= latest
end
while listed < count and left > 0 and is_due() do
  local uid, died = entries[2 * listed + 1], entries[2 * listed + 2]
  local body = redis.call('HGET', dead_messages, uid) or ''
  local cause = redis.call('HGET', dead_messages, uid .. '/cause') or ''
  local n = #reply
  reply[n + 1], reply[n + 2] = uid, died
  reply[n + 3], reply[n + 4] = string.match(cause, '"reason":"([%u_]+)"') or '', rounds_of(body) or ''
  listed = listed + 1
  left = left - #body - #cause
end
if is_due() then
  reply[3] = '1'
else
  reply[4] = entries[2 * listed + 2] or ''
end
return reply
