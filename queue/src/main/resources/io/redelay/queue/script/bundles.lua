-- Shows bundles, or the pending messages of one; changes nothing.
--
-- I8  reads no more than a page.
--
--@keys bundles bundles:pending outbox
-- ARGV[1] 'LIST' bundles, 'ONE' of them, 'PENDING' its pending messages
-- ARGV[2] LIST: where to go on, '0' at first; else the id of the bundle
-- ARGV[3] PENDING: the one to go on behind, '' at first; else ''
-- ARGV[4] how many to show: of a list about so many
-- reply   {'OK', now, then of LIST and ONE where the list goes on or '0', and two a bundle: id, record as in the script bundle; of
--         PENDING '1' if something is in the outbox or '0', and two a message: queue, uid/id}
--@include stamp
local bundles, pending, outbox = KEYS.bundles, KEYS.bundles_pending, KEYS.outbox
local what, id = ARGV[1], ARGV[2]
local reply = { 'OK', stamp }
if what == 'LIST' then
  local page = redis.call('HSCAN', bundles, id, 'COUNT', ARGV[4])
  reply[3] = page[1]
  for i, text in ipairs(page[2]) do
    reply[3 + i] = text
  end
elseif what == 'ONE' then
  local record = redis.call('HGET', bundles, id)
  reply[3] = '0'
  if record then
    reply[4], reply[5] = id, record
  end
else
  reply[3] = string.format('%d', redis.call('EXISTS', outbox))
  local first = id .. '\0' .. ARGV[3]
  for i, member in ipairs(redis.call('ZRANGEBYLEX', pending, '(' .. first, '(' .. id .. '\1', 'LIMIT', 0, ARGV[4])) do
    reply[2 + 2 * i], reply[3 + 2 * i] = string.match(member, '^%Z*%z(%Z*)%z(.*)$')
  end
end
return reply
