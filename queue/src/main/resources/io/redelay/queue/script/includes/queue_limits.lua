-- limit_claim(limit, limit_words, clock, now): how many messages a claim of a listener with limits may take.
-- limit  most: at most as many as are wanted; room: how many the limits of the queue allow; name: the limit that allows the fewest, as
--        limit_words names it; after_claim(n): to be called when n were taken, it sets time: when the limits allow more, unless that
--        depends on held messages
--
--@keys-of claim
-- reads    rates_of
-- sets     limit_claim
local function limit_claim(limit, limit_words, clock, now)
  local rate_of, allowance, spend = rates_of(KEYS.rates, KEYS.bursts, clock, now)
  local limits = {}
  for name, word in string.gmatch(limit_words, ' (%l+)=(%d%S*)') do
    limits[name] = word
  end
  local most_held = tonumber(string.match(limits.m or '', '^%d+')) -- a later version may write more behind it
  if most_held then
    -- Messages of dead lanes count until a claim has removed them from held; those held without a body count as well.
    limit.room, limit.name = math.max(0, most_held - (redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes))), 'm'
  end
  local rate = rate_of(limits.q)
  if rate then
    local n, state = allowance('q', rate)
    local room_in_flight = limit.room
    if n < limit.room then
      limit.room, limit.name = n, 'q'
    end
    limit.after_claim = function(claimed)
      local time = spend('q', rate, claimed, state)
      if claimed < room_in_flight then
        limit.time = time
      end
    end
  end
  limit.most = math.min(limit.most, limit.room)
end
