-- One EXISTS of seven keys recognises a plain queue without sleepers, as each call costs; a second one distinguishes the other
-- queues. There the sleepers count six times, so the sum shows whether there are any.
-- has_sleepers: whether there is a sleeper; has_extras: whether any message has data that those of a plain queue do not have;
-- has_meta: whether meta is there.
--
--@keys-of claim
-- reads    nothing
-- changes  has_extras
-- sets     has_sleepers, has_meta
local found = redis.call('EXISTS', KEYS.sleepers, KEYS.meta, KEYS.suspects, KEYS.tries, KEYS.ids, KEYS.cancelled, KEYS.expiries)
local has_sleepers, has_meta = false, false
has_extras = false
if found > 0 then
  local sleepers = KEYS.sleepers
  local more = redis.call('EXISTS', KEYS.suspects, KEYS.tries, KEYS.ids, KEYS.cancelled, KEYS.expiries,
    sleepers, sleepers, sleepers, sleepers, sleepers, sleepers)
  has_sleepers, has_extras = more >= 6, more % 6 > 0
  has_meta = found > more % 6 + (has_sleepers and 1 or 0)
end
