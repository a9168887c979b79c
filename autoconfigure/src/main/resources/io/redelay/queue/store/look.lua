-- Counts a queue's messages by state, and gives what else tells why they wait; changes nothing, and takes as long however many
-- there are.
--
-- KEYS[1] messages  KEYS[2] ready  KEYS[3] suspects  KEYS[4] scheduled  KEYS[5] held  KEYS[6] lanes  KEYS[7] dead  KEYS[8] meta
-- KEYS[9] expiries  KEYS[10..] keys, order, waiting, seats, turns, weights, blocked, busy, rates, bursts, gates, dedup,
--          dedup:expiries, outbox, completed, completed:messages, work, tags, completed:tags    KEYS[29] dead:messages    KEYS[30] tries
-- ARGV    none
-- reply   what count.lua replies, and then: how many living messages have failed before, how many wait for an earlier one of their
--         ordering key, how many of these keys there are, how many fairness keys may not be claimed now, how many have a closed
--         gate, and of at most 1,000 lanes that are not dead, two each: its name, how many messages it holds
--@include clock
--@include tally
--@include marks
--@include lane_entry
local held, lanes = KEYS[5], KEYS[6]
local function add(value)
  tally[#tally + 1] = value
end
add(redis.call('HLEN', KEYS[30]))
add(redis.call('ZLEXCOUNT', KEYS[12], '[o', '(p'))
add(redis.call('HLEN', KEYS[11]))
add(redis.call('ZCARD', KEYS[16]))
add(redis.call('ZCOUNT', KEYS[20], '(' .. stamp, '+inf'))
for _, lane in ipairs(redis.call('ZREVRANGEBYSCORE', lanes, '+inf', '(' .. stamp, 'LIMIT', 0, 1000)) do
  local memory = redis.call('HGET', held, OWN_FIELD .. lane)
  add(lane)
  add(memory and string.match(memory, COUNT) or '0')
end
return tally
