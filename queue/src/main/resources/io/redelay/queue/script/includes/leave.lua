-- Removes the messages in left, which steering has cancelled or moved, from the lists if these are short. If not, untidy is whether
-- there are too many entries without a message; see tidy.
--
-- reads    forget_emptied, held, index, lanes, left, messages, ready, scheduled, suspects
-- changes  untidy
-- sets     nothing
if not forget_emptied() then
  local length = redis.call('LLEN', ready) + redis.call('LLEN', suspects)
  if length <= 500 then
    for _, uid in ipairs(left) do
      if redis.call('LREM', ready, 1, uid) == 0 then
        redis.call('LREM', suspects, 1, uid)
      end
    end
  else
    local in_flight = redis.call('HLEN', held) - redis.call('ZCARD', lanes)
    local waiting = redis.call('HLEN', messages) - redis.call('ZCARD', scheduled) - in_flight
      - redis.call('ZCARD', index.waiting)
    untidy = length - waiting > math.max(1000, waiting)
  end
end
