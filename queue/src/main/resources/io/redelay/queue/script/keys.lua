-- Lists the keys of a queue that have waiting messages, and how much its limits allow; changes nothing, and reads 1,000 lines at
-- most, however many messages wait in them.
--
--@keys held lanes order waiting blocked busy rates bursts gates
-- ARGV[1..] rates of the queue, each as a claim has it: count/window in ms, and b behind it if it is bursting
-- reply   {'OK', now, whether all lines were read, how many messages are held; how many rates, and of each how many messages
--          may be claimed now; how many ordering keys, and of each its name, how many messages wait for their turn, the uid that has
--          the turn or '', and the holder of that one or ''; and of each fairness key its name, how many messages are ready, how many
--          are held, until when its gate is closed or '', and whether it may not be claimed now}; of each kind the 100 keys with the
--          most waiting messages
--@include clock
local held, lanes, order, waiting, blocked, busy = KEYS.held, KEYS.lanes, KEYS.order, KEYS.waiting, KEYS.blocked, KEYS.busy
local gates = KEYS.gates
--@include rate
local rate_of, allowance = rates_of(KEYS.rates, KEYS.bursts, clock, now)
local LINES, SHOWN = 500, 100
local complete = true

-- The lines between two bounds, by the text before the first zero byte of their members.
local function lines_of(from, to)
  local lines = {}
  for _ = 1, LINES do
    local member = redis.call('ZRANGEBYLEX', waiting, from, to, 'LIMIT', 0, 1)[1]
    if not member then
      return lines
    end
    local line = string.sub(member, 1, string.find(member, '\0', 1, true) - 1)
    lines[#lines + 1] = { name = line, n = redis.call('ZLEXCOUNT', waiting, '[' .. line .. '\0', '(' .. line .. '\1') }
    from = '[' .. line .. '\1'
  end
  complete = complete and not redis.call('ZRANGEBYLEX', waiting, from, to, 'LIMIT', 0, 1)[1]
  return lines
end

-- The keys with the most waiting messages.
local function longest(keys)
  table.sort(keys, function(one, other)
    return one.n > other.n or one.n == other.n and one.key < other.key
  end)
  local names = {}
  for i = 1, math.min(SHOWN, #keys) do
    names[i] = keys[i].key
  end
  return names
end

local ordering = {}
for i, line in ipairs(lines_of('[o', '(p')) do
  ordering[i] = { key = string.sub(line.name, 2), n = line.n }
end

-- A fairness key has a group at each level of its messages.
local fairness, of_key = {}, {}
for _, group in ipairs(lines_of('-', '(o')) do
  local key = string.sub(group.name, 2)
  if key ~= '' then
    if not of_key[key] then
      of_key[key] = { key = key, n = 0 }
      fairness[#fairness + 1] = of_key[key]
    end
    of_key[key].n = of_key[key].n + group.n
    local till = redis.call('ZSCORE', blocked, group.name)
    of_key[key].blocked = of_key[key].blocked or till and (till == 'inf' or tonumber(till) > now)
  end
end

local reply = { 'OK', stamp, '', redis.call('HLEN', held) - redis.call('ZCARD', lanes) }
local function add(value)
  reply[#reply + 1] = value
end
add(#ARGV)
for _, word in ipairs(ARGV) do
  add((allowance('q', rate_of(word))))
end
local names = longest(ordering)
add(#names)
local turns = #names > 0 and redis.call('HMGET', order, unpack(names)) or {}
for i, key in ipairs(names) do
  add(key)
  add(ordering[i].n)
  local uid = string.match(turns[i] or '', '^%S*') -- behind it may be others that its lane holds
  add(uid)
  add(uid ~= '' and redis.call('HGET', held, uid) or '')
end
names = longest(fairness)
local counts = #names > 0 and redis.call('HMGET', busy, unpack(names)) or {}
local closed = #names > 0 and redis.call('EXISTS', gates) == 1 and redis.call('ZMSCORE', gates, unpack(names)) or {}
for i, key in ipairs(names) do
  add(key)
  add(fairness[i].n)
  add(counts[i] or 0)
  add(closed[i] and tonumber(closed[i]) > now and closed[i] or '')
  add(fairness[i].blocked and '1' or '')
end
reply[3] = complete and '1' or ''
return reply
