-- Opens a sender lane: from now on its requests are recognised by their number.
--
-- Safe to repeat (I3): a lane that is open stays as it is. A repetition that arrives after the lane has expired leaves an
-- empty lane with an expiry. A send never opens its lane itself, so a request that arrives long after its time finds
-- no lane and adds nothing. It adds nothing either if the queue was deleted meanwhile, which has to be registered again then.
--
-- After that, known is only deleted by the second check that finds the queue empty; see forget-queue.lua.
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
