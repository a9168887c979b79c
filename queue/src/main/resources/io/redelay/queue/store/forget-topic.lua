-- Deletes a topic that has no group, with its log. Safe to repeat.
--
-- KEYS[1] known, the version of the topic's groups    KEYS[2] groups    KEYS[3] log
-- ARGV    none
-- reply   {'OK'} or {'HAS_GROUPS'}
if redis.call('HLEN', KEYS[2]) - redis.call('HEXISTS', KEYS[2], '@retention') > 0 then
  return { 'HAS_GROUPS' }
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return { 'OK' }
