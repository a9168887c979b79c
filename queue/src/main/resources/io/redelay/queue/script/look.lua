-- Counts a queue's messages by state, and gives counts that show why they wait; changes nothing. Its time does not depend on the
-- number of messages: it reads a hundred of the groups of fairness keys that may not be claimed now, and extrapolates; it reads a few
-- hundred recurring messages.
--
--@keys-of count
--@keys tries recurring ids
-- ARGV    none
-- reply   what count.lua replies, and then: how many living messages have failed before, how many wait for an earlier one of their
--         ordering key, how many of these keys there are; how many groups of fairness keys may not be claimed now and how many
--         messages wait in them, because the keys have as many held messages as they may, because of their rate, and because of a
--         closed gate; how many fairness keys have a closed gate; how many recurring messages have lost that of their next tick; and
--         of at most 1,000 lanes that are not dead, three each: its name, when its lease ends, how many messages it holds
--@include clock
--@include tally
local tally = tally_of(now, stamp)
--@include own_field
--@include held_count
local held, lanes = KEYS.held, KEYS.lanes
local function add(value)
  tally[#tally + 1] = value
end
add(redis.call('HLEN', KEYS.tries))
add(redis.call('ZLEXCOUNT', KEYS.waiting, '[o', '(p'))
add(redis.call('HLEN', KEYS.order))
local waiting, blocked, gates = KEYS.waiting, KEYS.blocked, KEYS.gates
local groups = redis.call('ZRANGEBYSCORE', blocked, '(' .. stamp, '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
local IN_HAND, RATE, GATE = 1, 2, 3
local keys_of, messages_of = { 0, 0, 0 }, { 0, 0, 0 }
for i = 1, #groups, 2 do
  local group = groups[i]
  local till = redis.call('ZSCORE', gates, string.sub(group, 2))
  local why = groups[i + 1] == 'inf' and IN_HAND or till and tonumber(till) > now and GATE or RATE
  keys_of[why] = keys_of[why] + 1
  messages_of[why] = messages_of[why] + redis.call('ZLEXCOUNT', waiting, '[' .. group .. '\0', '(' .. group .. '\1')
end
local share = math.max(1, redis.call('ZCOUNT', blocked, '(' .. stamp, '+inf') / math.max(1, #groups / 2))
for why = IN_HAND, GATE do
  add(string.format('%.0f', keys_of[why] * share))
  add(string.format('%.0f', messages_of[why] * share))
end
add(redis.call('ZCOUNT', gates, '(' .. stamp, '+inf'))
local messages, recurring, ids = KEYS.messages, KEYS.recurring, KEYS.ids
local lost_ticks = 0
local known = redis.call('HSCAN', recurring, '0', 'COUNT', 100)[2]
for i = 2, #known, 2 do
  local is_state = string.find(known[i - 1], '/', 1, true) -- see includes/run_states.lua
  local uid = not is_state and string.match(known[i], '"nextUid":"([^"]+)"')
  if uid and redis.call('HEXISTS', messages, redis.call('HGET', ids, 'i:' .. uid) or uid) == 0 then
    lost_ticks = lost_ticks + 1
  end
end
add(lost_ticks)
local living = redis.call('ZREVRANGEBYSCORE', lanes, '+inf', '(' .. stamp, 'WITHSCORES', 'LIMIT', 0, 1000)
for i = 1, #living, 2 do
  local memory = redis.call('HGET', held, OWN_FIELD .. living[i])
  add(living[i])
  add(living[i + 1])
  add(memory and string.match(memory, COUNT) or '0')
end
return tally
