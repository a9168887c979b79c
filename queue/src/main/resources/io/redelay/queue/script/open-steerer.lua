-- Opens a lane for commands on messages: from now on its requests are recognised by their number.
--
-- Safe to repeat (I3): a lane that is open stays as it is. It does not make the queue known, for it sends nothing: a queue that
-- was deleted stays so.
-- I7  the first write deletes: most such lanes are opened to remove messages.
--
--@keys sent
-- ARGV[1] how long an unused lane is remembered, ms
-- reply   {'OK'}
if redis.call('EXISTS', KEYS.sent) == 0 then
  redis.call('DEL', KEYS.sent) -- deletes nothing
  redis.call('SET', KEYS.sent, '0', 'PX', ARGV[1])
end
return { 'OK' }
