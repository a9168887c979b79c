-- Opens a sender lane: from now on its requests are recognised by their number.
--
-- Safe to repeat (I3): a lane that is open stays as it is. A repetition that arrives after the lane has expired leaves an
-- empty lane with an expiry. A send never opens its lane itself, so a request that arrives long after its time finds
-- no lane and adds nothing. It adds nothing either if the queue was deleted meanwhile, which has to be registered again then.
--
-- After that, known is only deleted by the second check that finds the queue empty; see forget-queue.lua.
--
--@keys sent known idle
-- KEYS.idle    not given for a topic
-- ARGV[1] how long an unused lane is remembered, ms
-- reply   {'OK'}
redis.call('SET', KEYS.known, '1', 'NX') -- refused by a full Redis
redis.call('SET', KEYS.sent, '0', 'PX', ARGV[1], 'NX')
if KEYS.idle then
  redis.call('DEL', KEYS.idle)
end
return { 'OK' }
