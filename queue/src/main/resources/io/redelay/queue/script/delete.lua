-- Deletes a queue and all that it holds. Its lanes are gone then, and an instance that uses it again opens new ones. Safe to repeat.
--
-- I5  up to a hundred sleeping lanes are woken, to find that they are gone; the others find that out by themselves.
--
--@keys messages dead sleepers past outbox bundles ready suspects scheduled held lanes tries dead:messages ids meta cancelled history
--@keys dead:ids expiries known idempotent idempotent:running idempotent:owners handed bundles:callbacks bundles:pending bundles:due
--@keys bundles:early bundles:results recurring stats stats:day stats:month marks redrive idle far far:chunks
--@keys keys order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries
--@keys completed completed:messages work tags completed:tags
-- KEYS    all keys of the queue but those of senders, which expire. The notes of the outbox are lost, and no callback of its bundles comes
-- ARGV[1] '1' to delete it although there are messages, 'look' to change nothing    ARGV[2] wake channel
-- ARGV[3] for how long it is known that the queue was deleted, ms
-- reply   {'OK'} or {'NOT_EMPTY'}
--@include wake
--@include past
--@include delete_queue
if ARGV[1] ~= '1' and redis.call('EXISTS', KEYS.messages, KEYS.dead, KEYS.outbox, KEYS.bundles) > 0 then
  return { 'NOT_EMPTY' }
elseif ARGV[1] == 'look' then
  return { 'OK' }
end
delete_queue(KEYS, KEYS.sleepers, KEYS.past, ARGV[2], ARGV[3])
return { 'OK' }
