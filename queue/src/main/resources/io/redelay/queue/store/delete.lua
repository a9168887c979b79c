-- Deletes a queue and all that it holds. Its lanes are gone then, and an instance that uses it again opens new ones. Safe to repeat.
--
-- I5  up to a hundred sleeping lanes are woken, to find that they are gone; the others find that out by themselves.
--
-- KEYS    all keys of the queue but those of senders, which expire; KEYS[1] messages, KEYS[2] dead, KEYS[3] sleepers,
--         KEYS[4] past, KEYS[5] outbox, whose notes are lost with the queue, as are KEYS[6] bundles, of which no callback comes then
-- ARGV[1] '1' to delete it although there are messages, 'look' to change nothing    ARGV[2] wake channel
-- ARGV[3] for how long it is known that the queue was deleted, ms
-- reply   {'OK'} or {'NOT_EMPTY'}
--@paste wake
--@paste past
--@paste delete_queue
if ARGV[1] ~= '1' and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[5], KEYS[6]) > 0 then
  return { 'NOT_EMPTY' }
elseif ARGV[1] == 'look' then
  return { 'OK' }
end
delete_queue(KEYS, ARGV[2], ARGV[3])
return { 'OK' }
