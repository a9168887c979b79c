-- Gives an instance the turn for a task, for some time; the instance that has it can prolong it. Safe to repeat.
--
-- I7  the first write deletes.
--
--@keys turn
-- ARGV[1] instance    ARGV[2] for how long, ms
-- reply   {'1' if the instance has the turn, else '0'}
local holder = redis.call('GET', KEYS.turn)
if holder and holder ~= ARGV[1] then
  return { '0' }
end
redis.call('DEL', KEYS.turn)
redis.call('SET', KEYS.turn, ARGV[1], 'PX', ARGV[2])
return { '1' }
