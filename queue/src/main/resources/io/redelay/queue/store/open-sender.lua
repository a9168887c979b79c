-- Opens a sender lane: from here on its requests are recognised by their number.
--
-- Safe to repeat (I3): a lane that is open stays as it is. A repetition that comes after the lane has expired leaves an
-- empty lane with an expiry. A send never opens its lane itself, so that a request which arrives long after its time finds
-- no lane and adds nothing. Nor does it when the queue was deleted meanwhile, which is then to be registered again.
--
-- A look that finds nothing does not take known away after that, before another one does; see forget-queue.lua.
--
-- KEYS[1] sent:<lane>    KEYS[2] known    KEYS[3] idle, of a queue
-- ARGV[1] how long an unused lane is remembered, ms
-- reply   {'OK'}
redis.call('SET', KEYS[2], '1', 'NX') -- refused by a full Redis
redis.call('SET', KEYS[1], '0', 'PX', ARGV[1], 'NX')
if KEYS[3] then
  redis.call('DEL', KEYS[3])
end
return { 'OK' }
