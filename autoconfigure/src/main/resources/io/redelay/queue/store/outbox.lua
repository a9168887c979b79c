-- Removes notes of a queue's outbox that were relayed, and reads the next ones. One instance relays at a time, in the order of the
-- notes: each that reads has the outbox for a while, and others are told for how long.
--
-- I3  a request that comes again removes nothing that is there, and reads what is there then.
-- I6  at most 100 notes are read.
-- I7  the first write deletes.
-- I8  reads no more than a number of bytes, which the last note may exceed.
--
-- KEYS[1] outbox    stream of notes, each with one field: its kind, and the text
-- KEYS[2] meta      outbox -> whether there are notes, relay -> who relays, and until when
-- ARGV[1] instance  ARGV[2] for how long it has the outbox, ms    ARGV[3] behind which note to read, or '-'
-- ARGV[4] byte limit    ARGV[5..] ids of notes to remove
-- reply   BUSY, now, for how many ms another instance has the outbox, in one string. Nothing was done then, but the notes
--         are removed.
--         A list: words: OK, now, how many notes there are; then three a note: its id, its kind, its text
--@include clock
local outbox, meta = KEYS[1], KEYS[2]
local instance, lease = ARGV[1], tonumber(ARGV[2])
redis.call('XDEL', outbox, '0-0', unpack(ARGV, 5)) -- of which the first one is never there
local count = redis.call('XLEN', outbox)
if count == 0 then
  redis.call('HDEL', meta, 'outbox', 'relay')
  redis.call('UNLINK', outbox)
  return { 'OK ' .. stamp .. ' 0' }
end
local relay = redis.call('HGET', meta, 'relay')
if relay then
  local other, till = string.match(relay, '^(%S+) (%d+)$')
  if other ~= instance and tonumber(till) > now then
    return { 'BUSY ' .. stamp .. ' ' .. string.format('%.0f', till - now) }
  end
end
redis.call('HSET', meta, 'relay', instance .. ' ' .. string.format('%.0f', now + lease))
local reply, left = { 'OK ' .. stamp .. ' ' .. count }, tonumber(ARGV[4])
local from = ARGV[3] == '-' and '-' or '(' .. ARGV[3]
for _ = 1, 10 do
  local page = redis.call('XRANGE', outbox, from, '+', 'COUNT', '10')
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
return reply
