-- Finds which messages of bundles a queue does not have any more; changes nothing. A message with a new uid is found by its id.
--
--@keys messages ids keys outbox
-- ARGV[1..] two a message: the uid under which it was sent, its id or ''; at most 500
-- reply   {'OK', '1' if something is in the outbox or '0', then the positions, from 0, of those that are not there}
--@include membership
local messages, ids, keys = KEYS.messages, KEYS.ids, KEYS.keys
local reply = { 'OK', string.format('%d', redis.call('EXISTS', KEYS.outbox)) }
for i = 1, #ARGV, 2 do
  local uid, id = ARGV[i], ARGV[i + 1]
  local is_there = redis.call('HEXISTS', messages, uid) == 1
  if not is_there then
    local other = redis.call('HGET', ids, 'i:' .. (id ~= '' and id or uid))
    local attributes = other and redis.call('HGET', keys, other)
    local _, membership = string.match(attributes or '', MEMBERSHIP)
    is_there = membership and string.match(membership, '^[^/]*/[^/]*/([^/]*)') == uid
  end
  if not is_there then
    reply[#reply + 1] = string.format('%d', (i - 1) / 2)
  end
end
return reply
