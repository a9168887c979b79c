-- Finds those of many queues that have messages, or notes that are to be relayed; changes nothing. Checks all of them at once, and
-- ranges of them only where there are some.
--
-- I6  bounded by the number of keys, of which the caller gives at most 1,000.
--
-- KEYS    messages and outbox of each queue
-- ARGV    none
-- reply   the places in KEYS of those that exist, from 1
local found = {}
local open = { { 1, #KEYS } } -- ranges of KEYS that are to be looked at
for _ = 1, 2 * #KEYS do
  local range = table.remove(open)
  if not range then
    break
  end
  local first, last = range[1], range[2]
  if redis.call('EXISTS', unpack(KEYS, first, last)) > 0 then
    if first == last then
      found[#found + 1] = first
    else
      local middle = math.floor((first + last) / 2)
      open[#open + 1] = { first, middle }
      open[#open + 1] = { middle + 1, last }
    end
  end
end
return found
