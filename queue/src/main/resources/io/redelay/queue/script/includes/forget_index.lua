-- forget_index(): removes data about keys and priorities, and what handlers recorded, from a queue without living messages. Data
-- of dead messages stays.
--
-- reads    blocked, busy, keys, meta, seats, turns, waiting, weights, work
-- sets     forget_index
local function forget_index()
  redis.call('UNLINK', keys, waiting, seats, turns, weights, blocked, busy, work)
  redis.call('HDEL', meta, 'keyed', 'work', 'seat', 'front')
end
