-- longest_of(entry): how long an envelope of the queue may be. Up to 4096 bytes lengths are not told apart, so that a queue
-- of usual messages has no entry, and none to be looked for.
local function longest_of(entry)
  return math.max(4096, tonumber(entry or 0))
end
