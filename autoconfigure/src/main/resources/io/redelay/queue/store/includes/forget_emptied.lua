-- forget_emptied(): of a queue without living messages, takes away what its lists have of former ones, and the length of the
-- longest. Gives whether it is one.
--
-- reads    index, messages, meta, ready, suspects
-- sets     forget_emptied
local function forget_emptied()
  if redis.call('EXISTS', messages) == 1 then
    return false
  end
  redis.call('UNLINK', ready, suspects)
  redis.call('HDEL', meta, 'longest')
  index.forget()
  return true
end
