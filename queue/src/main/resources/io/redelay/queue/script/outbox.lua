-- Removes notes of a queue's outbox that were relayed, and reads the next ones. One instance relays at a time: one that reads notes
-- has the outbox for a while, and the reply to others says for how long. One that finds none gives it up.
--
-- I3  a repeated request removes no note that is there, and reads the present ones.
-- I6  at most 100 notes are read, and the last requests of 20 instances are known.
-- I7  the first write deletes.
-- I8  reads no more than a number of bytes, which the last note may exceed.
-- I9  the reply says whether the last request of the instance is known: if not, Redis may have gone back in time.
--
--@keys outbox meta
-- KEYS.outbox    stream of notes, each with one field: its kind, and the text
-- KEYS.meta      outbox -> whether there are notes, relay -> the instance that relays, and until when,
--                   relayed -> instances that relayed lately, and the numbers of their last requests
-- ARGV[1] instance  ARGV[2] number of its request    ARGV[3] for how long it has the outbox, ms
-- ARGV[4] behind which note to read, or '-'          ARGV[5] up to which note, or '+'
-- ARGV[6] byte limit    ARGV[7..] ids of notes to remove
-- reply   BUSY, now, for how many ms another instance has the outbox, in one string. Nothing was done then, but the notes
--         are removed.
--         A list: words: OK, now, how many notes there are, '1' if the instance's last request is known or '0'; then three a note:
--         its id, its kind, its text
--@include clock
local MOST_INSTANCES = 20
local outbox, meta = KEYS.outbox, KEYS.meta
local instance, number, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local settings = redis.call('HMGET', meta, 'relay', 'relayed')
local other, till = string.match(settings[1] or '', '^(%S+) (%d+)$')
local unbroken, known = '0', { instance .. ' ' .. ARGV[2] }
for name, last in string.gmatch(settings[2] or '', '(%S+) (%d+)') do
  if name == instance then
    unbroken = (tonumber(last) == number or tonumber(last) == number - 1) and '1' or '0'
  elseif #known < MOST_INSTANCES then
    known[#known + 1] = name .. ' ' .. last
  end
end
redis.call('XDEL', outbox, '0-0', unpack(ARGV, 7)) -- of which the first one is never there
local count = redis.call('XLEN', outbox)
if count == 0 then
  redis.call('HDEL', meta, 'outbox', 'relay', 'relayed')
  redis.call('UNLINK', outbox)
  return { 'OK ' .. stamp .. ' 0 ' .. unbroken }
end
redis.call('HSET', meta, 'relayed', table.concat(known, ' '))
if other and other ~= instance and tonumber(till) > now then
  return { 'BUSY ' .. stamp .. ' ' .. string.format('%.0f', till - now) }
end
local reply, left = { 'OK ' .. stamp .. ' ' .. count .. ' ' .. unbroken }, tonumber(ARGV[6])
local from = ARGV[4] == '-' and '-' or '(' .. ARGV[4]
for _ = 1, 10 do
  local page = redis.call('XRANGE', outbox, from, ARGV[5], 'COUNT', '10')
  for _, entry in ipairs(page) do
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = entry[1], entry[2][1], entry[2][2]
    left = left - #entry[2][2]
    from = '(' .. entry[1]
    if left <= 0 then
      break
    end
  end
  if left <= 0 or #page < 10 then
    break
  end
end
redis.call('HSET', meta, 'relay', instance .. ' ' .. string.format('%.0f', now + (#reply > 1 and lease or 0)))
return reply
