-- Gives one instance of a group at a time the turn to watch the queues for trouble, and keeps which trouble it has reported.
--
-- I3  a request with the number of an earlier one of its owner changes nothing. It is answered like one that takes the turn: it may
--     be the one that did, and its owner has to learn what is kept before it replaces that.
-- I4  an instance has the turn for as long as its lease lasts, which each request renews. One that has lost it gets OTHER.
-- I7  the first write deletes.
-- I8  one field for each queue in trouble, of which the instance has a bounded number; the key expires.
--
--@keys trouble
-- KEYS.trouble   '' -> the owner of the turn, the number of its last request, when its lease is over; queue -> its trouble
-- ARGV[1] instance, by a name that it never used while it had no turn    ARGV[2] number of the request
-- ARGV[3] how long its lease is, ms, 0 to give the turn up
-- ARGV[4..] two a trouble: queue, trouble; they replace what is kept if the instance has the turn
-- reply   a list: OK: the instance has the turn, as before
--         TAKEN, then two a trouble: the instance has the turn now, and this request has changed no trouble
--         OTHER, for how much longer another instance has it, ms
--@include clock
local trouble, instance = KEYS.trouble, ARGV[1]
local DAY_MS = 86400000
local owner, number, till = string.match(redis.call('HGET', trouble, '') or '', '^(%S+) (%d+) (%d+)$')
local is_mine = owner == instance
if owner and not is_mine and tonumber(till) > now then
  return { 'OTHER', string.format('%.0f', till - now) }
end
local reply = { 'OK' }
local is_repeated = is_mine and tonumber(ARGV[2]) <= tonumber(number)
if is_repeated or not is_mine then
  reply[1] = 'TAKEN'
  local kept = redis.call('HGETALL', trouble)
  for i = 1, #kept, 2 do
    if kept[i] ~= '' then
      table.insert(reply, kept[i])
      table.insert(reply, kept[i + 1])
    end
  end
end
if is_repeated then
  return reply
end
redis.call('HDEL', trouble, '')
if is_mine then
  redis.call('DEL', trouble)
  for i = 4, #ARGV, 2 do
    redis.call('HSET', trouble, ARGV[i], ARGV[i + 1])
  end
end
redis.call('HSET', trouble, '', instance .. ' ' .. ARGV[2] .. ' ' .. string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', trouble, string.format('%.0f', ARGV[3] + DAY_MS))
return reply
