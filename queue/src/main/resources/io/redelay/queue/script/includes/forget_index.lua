-- index.forget(): removes data about keys and priorities, and what handlers recorded, from a queue without living messages. Data
-- of dead messages stays.
--
-- reads    nothing
-- changes  index
-- sets     nothing
index.forget = function()
  redis.call('UNLINK', index.keys, index.waiting, index.seats, index.turns, index.weights, index.blocked, index.busy, index.work)
  redis.call('HDEL', index.meta, 'keyed', 'work', 'seat', 'front')
end
