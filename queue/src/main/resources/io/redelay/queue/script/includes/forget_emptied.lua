-- forget_emptied(): if a queue has no living messages, removes stale entries from its lists, and the length of the longest envelope.
-- Gives whether that is so.
--
-- reads    held, index, lanes, messages, meta, ready, suspects
-- sets     forget_emptied
local function forget_emptied()
  if redis.call('EXISTS', messages) == 1 then
    return false
  end
  redis.call('UNLINK', ready, suspects)
  -- What handlers recorded of messages that are held without a body stays; a claim looks again.
  if not (index.keeps_work() and redis.call('HLEN', held) > redis.call('ZCARD', lanes)) then
    redis.call('HDEL', meta, 'longest')
    index.forget()
  end
  return true
end
