-- Registers a group of a topic, or says that a consumer of it is there. From here on it gets what is published. Safe to repeat.
--
-- I7  the first write deletes, so that a consumer can start when Redis is full.
--
-- KEYS[1] known, the version of the topic's groups    KEYS[2] groups    KEYS[3] known of the group's queue
-- ARGV[1] group    ARGV[2] how long it lives without a consumer, ms; 0 for ever
-- reply   {1 if it was not registered before or 0, now, version, and of each group its name and what groups has of it}
--@include clock
local known, groups, group, expiry = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
redis.call('HDEL', groups, '') -- deletes nothing
--@include new_version
local since, former = string.match(redis.call('HGET', groups, group) or '', '^(%d+),(%d+)')
redis.call('HSET', groups, group, (since or stamp) .. ',' .. expiry .. ',' .. stamp)
redis.call('SET', KEYS[3], '1', 'NX')
if former ~= expiry then
  new_version(known)
end
--@include topic_told
table.insert(told, 1, since and '0' or '1')
return told
