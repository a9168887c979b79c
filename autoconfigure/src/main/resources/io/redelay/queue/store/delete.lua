-- Deletes a queue and all that it holds. Its lanes are gone then, and whoever uses it again opens new ones. Safe to repeat.
--
-- KEYS    all keys of the queue but those of senders, which expire; KEYS[1] messages, KEYS[2] dead
-- ARGV[1] '1' to delete it although there are messages
-- reply   {'OK'} or {'NOT_EMPTY'}
if ARGV[1] ~= '1' and redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  return { 'NOT_EMPTY' }
end
for _, key in ipairs(KEYS) do
  redis.call('UNLINK', key)
end
return { 'OK' }
