-- Deletes a topic that has no group, with its log. Safe to repeat.
--
--@keys known groups log
-- KEYS.known    the version of the topic's groups
-- ARGV    none
-- reply   {'OK'} or {'HAS_GROUPS'}
if redis.call('HLEN', KEYS.groups) - redis.call('HEXISTS', KEYS.groups, '@retention') > 0 then
  return { 'HAS_GROUPS' }
end
redis.call('UNLINK', KEYS.known, KEYS.groups, KEYS.log)
return { 'OK' }
