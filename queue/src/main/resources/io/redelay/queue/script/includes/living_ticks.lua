-- Which messages of a recurring message live.
--
-- reads    KEYS.ids, KEYS.messages
-- sets     living_ticks

-- living_ticks(known): the uids in the record whose message lives; the uid of one that was moved from the ready list or redriven
-- is its id now.
local function living_ticks(known)
  local living = {}
  for uid in string.gmatch(string.match(known, '^[^\n]*'), '%S+') do
    local moved = redis.call('HGET', KEYS.ids, 'i:' .. uid)
    if redis.call('HEXISTS', KEYS.messages, moved or uid) == 1 then
      living[#living + 1] = uid
    end
  end
  return living
end
