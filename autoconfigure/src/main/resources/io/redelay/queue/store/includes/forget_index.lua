-- forget_index(): takes away what a queue without living messages has of keys and priorities. What dead messages hold stays.
--
-- reads    blocked, busy, keys, meta, seats, turns, waiting, weights
-- sets     forget_index
local function forget_index()
  redis.call('UNLINK', keys, waiting, seats, turns, weights, blocked, busy)
  redis.call('HDEL', meta, 'keyed', 'seat', 'front')
end
