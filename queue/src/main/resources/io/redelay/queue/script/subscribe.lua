-- Registers a group of a topic, or records that a consumer of it is there. From now on the group gets the published messages that its
-- filter accepts: the filter that was declared last. Safe to repeat.
--
-- I9  each such request says when its filter was declared: so a Redis that went back in time has the filter again, and an older
--     filter does not replace that of an instance that has started since.
-- I7  the first write deletes, so that a consumer can start when Redis is full.
--
--@keys known groups group:known
-- KEYS.known    the version of the topic's groups    KEYS.group_known    known of the group's queue
-- ARGV[1] group    ARGV[2] how long it lives without a consumer, ms; 0 for ever
-- ARGV[3] its filter, or ''    ARGV[4] when that was declared, ms; '' for now, 0 if it never was
-- reply   {when its present filter was declared, or 0; that filter, or ''; the filter that it had before, or '';
--         1 if it was not registered before or 0, now, version, and of each group its name and what groups has of it}
--@include clock
local known, groups, group, expiry = KEYS.known, KEYS.groups, ARGV[1], ARGV[2]
redis.call('HDEL', groups, '') -- deletes nothing
--@include new_version
local entry = redis.call('HGET', groups, group) or ''
local since, former = string.match(entry, '^(%d+),(%d+)')
local declared, had = string.match(entry, '^%d+,%d+,%d+,(%d+),(%S*)$')
local filter, at = had or '', declared or '0'
local own_at = ARGV[4]
if own_at == '' then -- later than the filter that it replaces, whatever the clock says
  own_at = string.format('%.0f', math.max(now, tonumber(at) + 1))
end
if ARGV[4] == '' or not since or tonumber(own_at) > tonumber(at) then
  filter, at = ARGV[3], (ARGV[3] ~= '' or filter ~= '' or at ~= '0') and own_at or '0'
end
entry = (since or stamp) .. ',' .. expiry .. ',' .. stamp
if at ~= '0' then
  entry = entry .. ',' .. at .. ',' .. filter
end
redis.call('HSET', groups, group, entry)
redis.call('SET', KEYS.group_known, '1', 'NX')
if former ~= expiry or filter ~= (had or '') then
  new_version(known)
end
--@include topic_reply
local reply = topic_reply(stamp)
table.insert(reply, 1, at)
table.insert(reply, 2, filter)
table.insert(reply, 3, had or '')
table.insert(reply, 4, since and '0' or '1')
return reply
