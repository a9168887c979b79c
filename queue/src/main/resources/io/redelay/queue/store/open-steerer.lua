-- Opens a lane for commands on messages: from now on its requests are recognised by their number.
--
-- Safe to repeat (I3): a lane that is open stays as it is. It does not make the queue known, for it sends nothing: a queue that
-- was deleted stays so.
-- I7  the first write deletes: most such lanes are opened to remove messages.
--
-- KEYS[1] sent:<lane>
-- ARGV[1] how long an unused lane is remembered, ms
-- reply   {'OK'}
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[1]) -- deletes nothing
  redis.call('SET', KEYS[1], '0', 'PX', ARGV[1])
end
return { 'OK' }
