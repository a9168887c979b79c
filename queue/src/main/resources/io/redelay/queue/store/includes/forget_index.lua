-- forget_index(): takes away what a queue without living messages has of keys and priorities, and what handlers told of
-- messages. What dead messages hold stays.
--
-- reads    blocked, busy, keys, meta, seats, turns, waiting, weights, work
-- sets     forget_index
local function forget_index()
  redis.call('UNLINK', keys, waiting, seats, turns, weights, blocked, busy, work)
  redis.call('HDEL', meta, 'keyed', 'work', 'seat', 'front')
end
