-- Sets the bounds of the log of a topic. Safe to repeat.
--
-- I7  the first write deletes, so that a consumer can start when Redis is full.
--
--@keys known groups log
-- KEYS.known    the version of the topic's groups
-- ARGV[1] <for how long, ms>,<how many>,<how many bytes>, each 0 if it is not limited; all 0 to keep nothing
-- reply   {now, version, and of each group its name and its entry in groups; @retention has the bounds of the log}
--@include stamp
local known, groups, log = KEYS.known, KEYS.groups, KEYS.log
--@include new_version
redis.call('HDEL', groups, '') -- deletes nothing
local off = ARGV[1] == '0,0,0'
if redis.call('HGET', groups, '@retention') ~= (not off and ARGV[1]) then
  if off then
    redis.call('HDEL', groups, '@retention')
    redis.call('UNLINK', log)
  else
    redis.call('HSET', groups, '@retention', ARGV[1])
  end
  new_version(known)
end
--@include topic_reply
return topic_reply(stamp)
