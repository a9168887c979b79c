-- How many messages a claim of a listener with limits may take: most is at most wanted, limit_room is how many the limits of the
-- queue allow, and limit_name the limit that allows the fewest, as limit_words names it. Call after_claim(n) when n were taken; it
-- sets limit_time to when the limits allow more, unless that depends on held messages.
--
-- reads    KEYS.bursts, KEYS.rates, held, lanes, limit_words, rates_of, wanted
-- changes  after_claim, limit_name, limit_room, limit_time, most
-- sets     nothing
local rate_of, allowance, spend = rates_of(KEYS.rates, KEYS.bursts)
local limits = {}
for name, word in string.gmatch(limit_words, '(%l+)=(%S+)') do
  limits[name] = word
end
if limits.m then
  -- Messages of dead lanes count until a claim has removed them from held; those held without a body count as well.
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
