-- Finds which messages of bundles a queue does not have any more; changes nothing. A message with a new uid is found by its id.
--
-- KEYS[1] messages    KEYS[2] ids    KEYS[3] keys    KEYS[4] outbox
-- ARGV[1..] two a message: the uid under which it was sent, its id or ''; at most 500
-- reply   {'OK', '1' if something is in the outbox or '0', then the positions, from 0, of those that are not there}
--@paste attributes
local messages, ids, keys = KEYS[1], KEYS[2], KEYS[3]
local reply = { 'OK', string.format('%d', redis.call('EXISTS', KEYS[4])) }
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
