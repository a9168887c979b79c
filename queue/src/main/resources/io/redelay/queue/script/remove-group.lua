-- Removes a group of a topic with all its messages. Its consumers find their lanes gone. Safe to repeat.
--
-- Messages that its handlers sent with their acknowledgements, and that are in its outbox, keep the group until they are relayed,
-- unless it is removed by hand.
--
--@keys topic:known groups group:lanes
--@keys-of delete
-- KEYS.topic_known    the version of the topic's groups    KEYS.group_lanes    lanes of the group's queue, of which the keys behind it are
-- ARGV[1] group    ARGV[2] BY_HAND; LOOK as that, but to change nothing; LEFT by its only consumer; ENDED to remove it only if it has
--         had no consumer for as long as it lives without one
-- ARGV[3] wake channel    ARGV[4] for how long it is known that the queue was deleted, ms
-- reply   {'OK', how many living and dead messages it had}; {'KEPT'} if it has not ended, {'BUSY'} if it has a consumer,
--         {'UNKNOWN'}; {'NOTES'} if its outbox is to be relayed first
--@include clock
--@include wake
--@include past
--@include delete_queue
--@include near
local known, groups, group = KEYS.topic_known, KEYS.groups, ARGV[1]
local entry = redis.call('HGET', groups, group)
if not entry then
  return { 'UNKNOWN' }
end
local expiry, seen = string.match(entry, '^%d+,(%d+),(%d+)')
if ARGV[2] == 'ENDED' and (tonumber(expiry) == 0 or tonumber(seen) + tonumber(expiry) >= now) then
  return { 'KEPT' }
end
if redis.call('ZCOUNT', KEYS.group_lanes, stamp, '+inf') > 0 then
  return { 'BUSY' }
end
local far_head = redis.call('HGET', KEYS.meta, 'far')
local packed = far_head and string.match(far_head, '^%d+') or 0
local count = near_living(KEYS.messages, KEYS.meta) + packed + redis.call('ZCARD', KEYS.dead)
if ARGV[2] == 'LOOK' then
  return { 'OK', string.format('%d', count) }
end
if ARGV[2] ~= 'BY_HAND' and redis.call('EXISTS', KEYS.outbox) == 1 then
  return { 'NOTES' }
end
redis.call('HDEL', groups, group)
--@include new_version
delete_queue({ unpack(KEYS, KEYS_AT.group_lanes + 1) }, KEYS.sleepers, KEYS.past, ARGV[3], ARGV[4])
new_version(known)
return { 'OK', string.format('%d', count) }
