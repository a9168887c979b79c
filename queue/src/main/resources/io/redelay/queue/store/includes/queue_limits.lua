-- How many a claim of a listener with limits may take: most is no more than wanted, and limit_room what the limits of the queue
-- allow; limit_name is which of them allows no more, as limit_words names it. after_claim(n) is to be called when n were taken; limit_time is
-- then when the limits allow more, if that does not depend on what leaves held.
--
-- reads    bursts, clock, held, lanes, limit_words, now, rates, wanted
-- changes  after_claim, limit_name, limit_room, limit_time, most
-- sets     nothing
--@include rate
local limits = {}
for name, word in string.gmatch(limit_words, '(%l+)=(%S+)') do
  limits[name] = word
end
if limits.m then
  -- What lanes of dead instances hold counts until somebody has taken it away, and so does what is held without a body.
  limit_room, limit_name = math.max(0, limits.m - (redis.call('HLEN', held) - redis.call('ZCARD', lanes))), 'm'
end
local rate = rate_of(limits.q)
if rate then
  local n, state = allowance('q', rate)
  local room_in_flight = limit_room
  if n < limit_room then
    limit_room, limit_name = n, 'q'
  end
  after_claim = function(claimed)
    local time = spend('q', rate, claimed, state)
    if claimed < room_in_flight then
      limit_time = time
    end
  end
end
most = math.min(wanted, limit_room)
