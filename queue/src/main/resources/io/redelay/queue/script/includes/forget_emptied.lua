-- forget_emptied(index, held, lanes, suspects): if a queue has no living messages, removes stale entries from its lists, and the length
-- of the longest envelope. Gives whether that is so.
--
-- reads    nothing
-- sets     forget_emptied
local function forget_emptied(index, held, lanes, suspects)
  if redis.call('EXISTS', index.messages) == 1 then
    return false
  end
  redis.call('UNLINK', index.ready, suspects)
  -- What handlers recorded of messages that are held without a body stays; a claim looks again.
  if not (index.keeps_work() and redis.call('HLEN', held) > redis.call('ZCARD', lanes)) then
    redis.call('HDEL', index.meta, 'longest')
    index.forget()
  end
  return true
end
