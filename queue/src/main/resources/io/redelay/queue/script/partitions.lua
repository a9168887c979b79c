-- Lists the queues that have several partitions, after a change of one.
-- RAISE never lowers a number. If the queue is listed, it does not change over how many partitions keys are spread.
--
-- I3  each change may run twice.
-- I7  the first write deletes.
--
--@keys partitions
-- ARGV[1] nothing, RAISE, SET or FORGET    ARGV[2] queue
-- ARGV[3] how many partitions              ARGV[4] over how many of them keys are spread
-- reply   of each queue: its name, '<partitions> <over how many of them keys are spread>'
local change = ARGV[1]
if change == 'FORGET' then
  redis.call('HDEL', KEYS.partitions, ARGV[2])
elseif change == 'RAISE' or change == 'SET' then
  redis.call('HDEL', KEYS.partitions, '') -- deletes nothing
  local partitions, keyed = tonumber(ARGV[3]), ARGV[4]
  local known = change == 'RAISE' and redis.call('HGET', KEYS.partitions, ARGV[2])
  if known then
    local before, keys = string.match(known, '^(%d+) (%d+)$')
    if not before then
      return redis.call('HGETALL', KEYS.partitions)
    end
    partitions = math.max(partitions, tonumber(before))
    keyed = keys
  end
  redis.call('HSET', KEYS.partitions, ARGV[2], partitions .. ' ' .. keyed)
end
return redis.call('HGETALL', KEYS.partitions)
