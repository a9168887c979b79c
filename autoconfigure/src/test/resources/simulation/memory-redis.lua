-- A Redis in memory: the commands that the scripts use, on tables of Lua, so that the scripts run as they are. One client at a
-- time, a clock that the simulation sets, and the rules of Redis 7 about expiry, types, a full memory and errors.
--
-- MemoryRedisTests compares each command with a real Redis.
local STREAM_MOST = '18446744073709551615'

-- Members are compared byte by byte.
os.setlocale('C', 'collate')

-- A run leaves little behind, and time is dearer than memory.
collectgarbage('setpause', 400)

-- What each command needs is found faster so.
local type, tonumber, tostring, select, ipairs, pairs = type, tonumber, tostring, select, ipairs, pairs
local find, format, floor, max, min = string.find, string.format, math.floor, math.max, math.min

local db, expiries, published, subscribers, texts, now, full, small, wrote, run_id, lua_state

-- What a command needs

local Refusal = {}

local function refuse(message)
  error(setmetatable({ err = message }, Refusal), 0)
end

local function wrong_type()
  refuse('WRONGTYPE Operation against a key holding the wrong kind of value')
end

local function integer(text, message)
  if not find(text, '^-?%d+$') then
    refuse(message or 'ERR value is not an integer or out of range')
  end
  return tonumber(text)
end

local function float(text)
  local lower = string.lower(text)
  if lower == 'inf' or lower == '+inf' then
    return math.huge
  elseif lower == '-inf' then
    return -math.huge
  end
  local number = tonumber(text)
  if not number or find(lower, 'nan') then
    refuse('ERR value is not a valid float')
  end
  return number
end

local function score_text(score)
  if score == math.huge then
    return 'inf'
  elseif score == -math.huge then
    return '-inf'
  end
  return format('%.17g', score)
end

local function living(key)
  local ends = expiries[key]
  if ends and ends <= now then
    db[key], expiries[key] = nil, nil
  end
  return db[key]
end

local function of(kind, key)
  local value = living(key)
  if value and value.kind ~= kind then
    wrong_type()
  end
  return value
end

local function made(kind, key)
  local value = of(kind, key)
  if not value then
    value = kind == 'string' and { kind = kind, text = '' } or { kind = kind, n = 0, map = {}, list = {} }
    db[key] = value
  end
  return value
end

local function remove(key)
  local value = living(key)
  db[key], expiries[key] = nil, nil
  return value and 1 or 0
end

local function drop_if_empty(key, size)
  if size == 0 then
    db[key], expiries[key] = nil, nil
  end
end

-- The bounds of a range of places, from 1 on, or nothing
local function places(first, last, size)
  first, last = integer(first), integer(last)
  first = first < 0 and max(first + size, 0) or first
  last = last < 0 and last + size or last
  last = min(last, size - 1)
  return first + 1, last + 1
end

-- Sorted sets: the members in order, and their scores

local function comes_before(member, score, other, other_score)
  return score < other_score or score == other_score and member < other
end

-- The place that a member has or would have
local function place_of(zset, member, score)
  local low, high = 1, zset.n + 1
  while low < high do
    local middle = floor((low + high) / 2)
    if comes_before(zset.list[middle], zset.map[zset.list[middle]], member, score) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local function z_remove(zset, member)
  local score = zset.map[member]
  if not score then
    return 0
  end
  table.remove(zset.list, place_of(zset, member, score))
  zset.map[member] = nil
  zset.n = zset.n - 1
  return 1
end

local function z_put(zset, member, score)
  z_remove(zset, member)
  local place = place_of(zset, member, score)
  table.insert(zset.list, place, member)
  zset.map[member] = score
  zset.n = zset.n + 1
end

local function bound(text)
  local exclusive = string.sub(text, 1, 1) == '('
  local ok, number = pcall(float, exclusive and string.sub(text, 2) or text)
  if not ok then
    refuse('ERR min or max is not a float')
  end
  return number, exclusive
end

-- A test of scores, and between which ones those that pass it are
local function score_test(least, most)
  local low, low_open = bound(least)
  local high, high_open = bound(most)
  return function(_, score)
    return (score > low or score == low and not low_open) and (score < high or score == high and not high_open)
  end, low, high
end

-- The first place whose score is not below another one, or is above it
local function place_from(zset, score, above)
  local low, high = 1, zset.n + 1
  while low < high do
    local middle = floor((low + high) / 2)
    local other = zset.map[zset.list[middle]]
    if other < score or above and other == score then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local function lex_bound(text)
  local first = string.sub(text, 1, 1)
  if text == '-' or text == '+' then
    return text
  elseif first ~= '[' and first ~= '(' then
    refuse('ERR min or max not valid string range item')
  end
  return first, string.sub(text, 2)
end

local function lex_test(least, most)
  local low, low_text = lex_bound(least)
  local high, high_text = lex_bound(most)
  return function(member)
    local above = low == '-' or low ~= '+' and (member > low_text or low == '[' and member == low_text)
    local below = high == '+' or high ~= '-' and (member < high_text or high == '[' and member == high_text)
    return above and below
  end
end

-- Members in order that pass a test, `LIMIT`ed, with their scores by choice. low, high: between which scores those are, if known
local function z_select(zset, test, low, high, reverse, offset, count, with_scores)
  local found = {}
  if not zset or offset < 0 then
    return found
  end
  local from, to, step = low and place_from(zset, low) or 1, high and place_from(zset, high, true) - 1 or zset.n, 1
  if reverse then
    from, to, step = to, from, -1
  end
  local seen = 0
  for place = from, to, step do
    local member = zset.list[place]
    local score = zset.map[member]
    if test(member, score) then
      seen = seen + 1
      if seen > offset then
        if count >= 0 and seen > offset + count then
          break
        end
        found[#found + 1] = member
        if with_scores then
          found[#found + 1] = score_text(score)
        end
      end
    end
  end
  return found
end

local function z_by_place(args, reverse, with_scores)
  integer(args[2])
  integer(args[3])
  local zset, found = of('zset', args[1]), {}
  local size = zset and zset.n or 0
  local from, to = places(args[2], args[3], size)
  for place = from, to do
    local member = zset.list[reverse and size + 1 - place or place]
    found[#found + 1] = member
    if with_scores then
      found[#found + 1] = score_text(zset.map[member])
    end
  end
  return found
end

local function z_options(args, at)
  local options = { offset = 0, count = -1 }
  while args[at] do
    local word = string.upper(args[at])
    if word == 'LIMIT' then
      options.offset, options.count = integer(args[at + 1]), integer(args[at + 2])
      at = at + 2
    elseif word == 'WITHSCORES' or word == 'BYSCORE' or word == 'BYLEX' or word == 'REV' then
      options[word] = true
    else
      refuse('ERR syntax error')
    end
    at = at + 1
  end
  return options
end

-- Streams: entries in the order of their ids

local function id_text(entry)
  return format('%.0f-%s', entry.ms, entry.seq)
end

local function id_bound(text, lowest)
  local exclusive = string.sub(text, 1, 1) == '('
  text = exclusive and string.sub(text, 2) or text
  if text == '-' then
    return 0, 0, exclusive
  elseif text == '+' then
    return math.huge, math.huge, exclusive
  end
  local ms, seq = string.match(text, '^(%d+)-(%d+)$')
  ms = ms or string.match(text, '^%d+$')
  if not ms then
    refuse('ERR Invalid stream ID specified as stream command argument')
  end
  return tonumber(ms), seq and (seq == STREAM_MOST and math.huge or tonumber(seq)) or (lowest and 0 or math.huge), exclusive
end

local function x_range(stream, least, most, count, reverse)
  local low, low_seq, low_open = id_bound(least, true)
  local high, high_seq, high_open = id_bound(most, false)
  local found = {}
  if not stream then
    return found
  end
  local from, to, step = 1, #stream.list, 1
  if reverse then
    from, to, step = #stream.list, 1, -1
  end
  for place = from, to, step do
    local entry = stream.list[place]
    local ms, seq = entry.ms, entry.seq
    local above = ms > low or ms == low and (seq > low_seq or seq == low_seq and not low_open)
    local below = ms < high or ms == high and (seq < high_seq or seq == high_seq and not high_open)
    if above and below and (count < 0 or #found < count) then
      found[#found + 1] = { id_text(entry), entry.fields }
    end
  end
  return found
end

-- Hashes are scanned by a number that each field has, so that what stays is found, whatever goes meanwhile.
local function bucket_of(field)
  local number = 7
  for place = 1, #field do
    number = (number * 31 + string.byte(field, place)) % 65521
  end
  return number
end

local function scan(hash, cursor, count)
  local found = {}
  if not hash then
    return { '0', found }
  end
  local entries = {}
  for field in pairs(hash.map) do
    entries[#entries + 1] = { bucket_of(field), field }
  end
  table.sort(entries, function(a, b)
    return a[1] < b[1] or a[1] == b[1] and a[2] < b[2]
  end)
  local next_cursor = '0'
  local taken, last = 0, nil
  for _, entry in ipairs(entries) do
    if entry[1] >= cursor then
      if hash.n > small and taken >= count and entry[1] ~= last then
        next_cursor = format('%d', entry[1])
        break
      end
      found[#found + 1], found[#found + 2] = entry[2], hash.map[entry[2]]
      taken, last = taken + 1, entry[1]
    end
  end
  return { next_cursor, found }
end

local function sorted_fields(value)
  local fields = {}
  for field in pairs(value.map) do
    fields[#fields + 1] = field
  end
  table.sort(fields)
  return fields
end

-- The commands. Each has how many arguments it takes at least, and at most if there is a bound.

local commands = {}

local function command(name, at_least, at_most, run, may_grow)
  commands[name] = { run = run, least = at_least, most = at_most or math.huge, grows = may_grow }
end

command('TIME', 0, 0, function()
  return { format('%.0f', floor(now / 1000)), format('%.0f', now % 1000 * 1000) }
end)

command('EXISTS', 1, nil, function(args)
  local count = 0
  for _, key in ipairs(args) do
    count = count + (living(key) and 1 or 0)
  end
  return count
end)

command('TYPE', 1, 1, function(args)
  local value = living(args[1])
  return { ok = value and value.kind or 'none' }
end)

command('KEYS', 1, 1, function()
  local keys = {}
  for key in pairs(db) do
    if living(key) then
      keys[#keys + 1] = key
    end
  end
  table.sort(keys)
  return keys
end)

local function delete(args)
  local count = 0
  for _, key in ipairs(args) do
    count = count + remove(key)
  end
  return count
end

command('DEL', 1, nil, delete)
command('UNLINK', 1, nil, delete)

command('PTTL', 1, 1, function(args)
  local value = living(args[1])
  return not value and -2 or expiries[args[1]] and expiries[args[1]] - now or -1
end)

local function expire_at(key, ends)
  if not living(key) then
    return 0
  end
  if ends <= now then
    remove(key)
  else
    expiries[key] = ends
  end
  return 1
end

command('PEXPIRE', 2, 2, function(args)
  return expire_at(args[1], now + integer(args[2]))
end)

command('PEXPIREAT', 2, 2, function(args)
  return expire_at(args[1], integer(args[2]))
end)

command('PERSIST', 1, 1, function(args)
  if living(args[1]) and expiries[args[1]] then
    expiries[args[1]] = nil
    return 1
  end
  return 0
end)

-- Strings

command('GET', 1, 1, function(args)
  local value = of('string', args[1])
  return value and value.text or false
end)

command('SET', 2, nil, function(args)
  local key, text = args[1], args[2]
  local ends, keeps, only_new, only_old
  local at = 3
  while args[at] do
    local word = string.upper(args[at])
    if word == 'PX' or word == 'EX' then
      local time = integer(args[at + 1] or '')
      if time <= 0 then
        refuse("ERR invalid expire time in 'set' command")
      end
      ends, at = now + time * (word == 'EX' and 1000 or 1), at + 1
    elseif word == 'KEEPTTL' then
      keeps = true
    elseif word == 'NX' then
      only_new = true
    elseif word == 'XX' then
      only_old = true
    else
      refuse('ERR syntax error')
    end
    at = at + 1
  end
  local value = living(key)
  if only_new and value or only_old and not value then
    return false
  end
  db[key] = { kind = 'string', text = text }
  if not keeps then
    expiries[key] = ends
  end
  return { ok = 'OK' }
end, true)

command('APPEND', 2, 2, function(args)
  local value = made('string', args[1])
  value.text = value.text .. args[2]
  return #value.text
end, true)

-- Hashes

command('HGET', 2, 2, function(args)
  local hash = of('hash', args[1])
  return hash and hash.map[args[2]] or false
end)

command('HMGET', 2, nil, function(args)
  local hash = of('hash', args[1])
  local values = {}
  for at = 2, #args do
    values[at - 1] = hash and hash.map[args[at]] or false
  end
  return values
end)

local function h_put(hash, field, value)
  local fresh = hash.map[field] == nil
  hash.map[field] = value
  hash.n = hash.n + (fresh and 1 or 0)
  return fresh and 1 or 0
end

command('HSET', 3, nil, function(args)
  if #args % 2 == 0 then
    refuse("ERR wrong number of arguments for 'hset' command")
  end
  local hash = made('hash', args[1])
  local added = 0
  for at = 2, #args, 2 do
    added = added + h_put(hash, args[at], args[at + 1])
  end
  return added
end, true)

command('HSETNX', 3, 3, function(args)
  local hash = of('hash', args[1])
  if hash and hash.map[args[2]] then
    return 0
  end
  return h_put(made('hash', args[1]), args[2], args[3])
end, true)

command('HINCRBY', 3, 3, function(args)
  local by = integer(args[3])
  local hash = of('hash', args[1])
  local value = integer(hash and hash.map[args[2]] or '0', 'ERR hash value is not an integer') + by
  h_put(made('hash', args[1]), args[2], format('%.0f', value))
  return value
end, true)

command('HDEL', 2, nil, function(args)
  local hash = of('hash', args[1])
  local count = 0
  for at = 2, hash and #args or 0 do
    if hash.map[args[at]] then
      hash.map[args[at]] = nil
      hash.n, count = hash.n - 1, count + 1
    end
  end
  if hash then
    drop_if_empty(args[1], hash.n)
  end
  return count
end)

command('HEXISTS', 2, 2, function(args)
  local hash = of('hash', args[1])
  return hash and hash.map[args[2]] and 1 or 0
end)

command('HLEN', 1, 1, function(args)
  local hash = of('hash', args[1])
  return hash and hash.n or 0
end)

command('HSTRLEN', 2, 2, function(args)
  local hash = of('hash', args[1])
  return hash and #(hash.map[args[2]] or '') or 0
end)

command('HGETALL', 1, 1, function(args)
  local hash, all = of('hash', args[1]), {}
  for _, field in ipairs(hash and sorted_fields(hash) or {}) do
    all[#all + 1], all[#all + 2] = field, hash.map[field]
  end
  return all
end)

command('HKEYS', 1, 1, function(args)
  local hash = of('hash', args[1])
  return hash and sorted_fields(hash) or {}
end)

command('HSCAN', 2, 4, function(args)
  local cursor = integer(args[2], 'ERR invalid cursor')
  return scan(of('hash', args[1]), cursor, args[4] and integer(args[4]) or 10)
end)

-- Lists

-- Numbers are read before the type is looked at.
local function list_by_places(args)
  integer(args[2])
  integer(args[3])
  return of('list', args[1])
end

local function l_push(at_end)
  return function(args)
    local list = made('list', args[1])
    for at = 2, #args do
      table.insert(list.list, at_end and #list.list + 1 or 1, args[at])
    end
    return #list.list
  end
end

command('RPUSH', 2, nil, l_push(true), true)
command('LPUSH', 2, nil, l_push(false), true)

command('LLEN', 1, 1, function(args)
  local list = of('list', args[1])
  return list and #list.list or 0
end)

-- Takes away places of a list from its beginning, by one copy of the rest.
local function l_cut(list, count)
  local rest = {}
  for place = count + 1, #list.list do
    rest[place - count] = list.list[place]
  end
  list.list = rest
end

command('LPOP', 1, 2, function(args)
  local count = args[2] and integer(args[2], 'ERR value is out of range, must be positive')
  if count and count < 0 then
    refuse('ERR value is out of range, must be positive')
  end
  local list = of('list', args[1])
  if not list then
    return false
  end
  local taken = {}
  for place = 1, min(count or 1, #list.list) do
    taken[place] = list.list[place]
  end
  l_cut(list, #taken)
  drop_if_empty(args[1], #list.list)
  return count and taken or taken[1]
end)

command('LRANGE', 3, 3, function(args)
  local list = list_by_places(args)
  local from, to = places(args[2], args[3], list and #list.list or 0)
  local found = {}
  for place = from, to do
    found[#found + 1] = list.list[place]
  end
  return found
end)

command('LTRIM', 3, 3, function(args)
  local list = list_by_places(args)
  local from, to = places(args[2], args[3], list and #list.list or 0)
  if list then
    local kept = {}
    for place = from, to do
      kept[#kept + 1] = list.list[place]
    end
    list.list = kept
    drop_if_empty(args[1], #kept)
  end
  return { ok = 'OK' }
end)

command('LSET', 3, 3, function(args)
  local list = of('list', args[1])
  if not list then
    refuse('ERR no such key')
  end
  local place = integer(args[2])
  place = place < 0 and place + #list.list + 1 or place + 1
  if not list.list[place] then
    refuse('ERR index out of range')
  end
  list.list[place] = args[3]
  return { ok = 'OK' }
end, true)

command('LREM', 3, 3, function(args)
  local count = integer(args[2])
  local list = of('list', args[1])
  local removed = 0
  if list then
    local from, to, step = 1, #list.list, 1
    if count < 0 then
      from, to, step = #list.list, 1, -1
    end
    local gone = {}
    for place = from, to, step do
      if list.list[place] == args[3] and (count == 0 or removed < math.abs(count)) then
        gone[place], removed = true, removed + 1
      end
    end
    if removed > 0 then
      local kept = {}
      for place, value in ipairs(list.list) do
        if not gone[place] then
          kept[#kept + 1] = value
        end
      end
      list.list = kept
      drop_if_empty(args[1], #kept)
    end
  end
  return removed
end)

command('LPOS', 2, nil, function(args)
  local list = of('list', args[1])
  local rank, looked_at = 1, 0
  for at = 3, #args, 2 do
    local word = string.upper(args[at])
    if word == 'RANK' then
      rank = integer(args[at + 1])
    elseif word == 'MAXLEN' then
      looked_at = integer(args[at + 1])
    else
      refuse('ERR syntax error')
    end
  end
  local size = list and #list.list or 0
  local seen = 0
  for step = 1, looked_at == 0 and size or min(looked_at, size) do
    local place = rank > 0 and step or size + 1 - step
    if list.list[place] == args[2] then
      seen = seen + 1
      if seen == math.abs(rank) then
        return place - 1
      end
    end
  end
  return false
end)

-- Sets

command('SADD', 2, nil, function(args)
  local set = made('set', args[1])
  local added = 0
  for at = 2, #args do
    added = added + h_put(set, args[at], true)
  end
  return added
end, true)

command('SREM', 2, nil, function(args)
  local set = of('set', args[1])
  local count = 0
  for at = 2, set and #args or 0 do
    if set.map[args[at]] then
      set.map[args[at]] = nil
      set.n, count = set.n - 1, count + 1
    end
  end
  if set then
    drop_if_empty(args[1], set.n)
  end
  return count
end)

command('SISMEMBER', 2, 2, function(args)
  local set = of('set', args[1])
  return set and set.map[args[2]] and 1 or 0
end)

command('SMISMEMBER', 2, nil, function(args)
  local set = of('set', args[1])
  local flags = {}
  for at = 2, #args do
    flags[at - 1] = set and set.map[args[at]] and 1 or 0
  end
  return flags
end)

command('SMEMBERS', 1, 1, function(args)
  local set = of('set', args[1])
  return set and sorted_fields(set) or {}
end)

command('SCARD', 1, 1, function(args)
  local set = of('set', args[1])
  return set and set.n or 0
end)

-- Sorted sets

command('ZADD', 3, nil, function(args)
  local only_new, only_old, only_greater, only_less, changes
  local at = 2
  while args[at] do
    local word = string.upper(args[at])
    if word == 'NX' then
      only_new = true
    elseif word == 'XX' then
      only_old = true
    elseif word == 'GT' then
      only_greater = true
    elseif word == 'LT' then
      only_less = true
    elseif word == 'CH' then
      changes = true
    else
      break
    end
    at = at + 1
  end
  if (#args - at) % 2 == 0 or at > #args then
    refuse('ERR syntax error')
  end
  for place = at, #args, 2 do
    float(args[place])
  end
  local zset = of('zset', args[1])
  if not zset then
    if only_old then
      return 0
    end
    zset = made('zset', args[1])
  end
  local added, changed = 0, 0
  for place = at, #args, 2 do
    local score, member = float(args[place]), args[place + 1]
    local old = zset.map[member]
    if not old then
      if not only_old then
        z_put(zset, member, score)
        added = added + 1
      end
    elseif not only_new and not (only_greater and score <= old) and not (only_less and score >= old) and score ~= old then
      z_put(zset, member, score)
      changed = changed + 1
    end
  end
  return changes and added + changed or added
end, true)

command('ZREM', 2, nil, function(args)
  local zset = of('zset', args[1])
  local count = 0
  for at = 2, zset and #args or 0 do
    count = count + z_remove(zset, args[at])
  end
  if zset then
    drop_if_empty(args[1], zset.n)
  end
  return count
end)

command('ZSCORE', 2, 2, function(args)
  local zset = of('zset', args[1])
  local score = zset and zset.map[args[2]]
  return score and score_text(score) or false
end)

command('ZMSCORE', 2, nil, function(args)
  local zset = of('zset', args[1])
  local scores = {}
  for at = 2, #args do
    local score = zset and zset.map[args[at]]
    scores[at - 1] = score and score_text(score) or false
  end
  return scores
end)

command('ZCARD', 1, 1, function(args)
  local zset = of('zset', args[1])
  return zset and zset.n or 0
end)

command('ZRANK', 2, 2, function(args)
  local zset = of('zset', args[1])
  local score = zset and zset.map[args[2]]
  return score and place_of(zset, args[2], score) - 1 or false
end)

command('ZCOUNT', 3, 3, function(args)
  local test, low, high = score_test(args[2], args[3])
  return #z_select(of('zset', args[1]), test, low, high, false, 0, -1)
end)

command('ZLEXCOUNT', 3, 3, function(args)
  local test = lex_test(args[2], args[3])
  return #z_select(of('zset', args[1]), test, nil, nil, false, 0, -1)
end)

command('ZRANGE', 3, nil, function(args)
  local options = z_options(args, 4)
  local first, last = args[2], args[3]
  if options.BYSCORE or options.BYLEX then
    if options.REV then
      first, last = last, first
    end
    local test, low, high
    if options.BYSCORE then
      test, low, high = score_test(first, last)
    else
      test = lex_test(first, last)
    end
    return z_select(of('zset', args[1]), test, low, high, options.REV, options.offset, options.count, options.WITHSCORES)
  end
  return z_by_place(args, options.REV, options.WITHSCORES)
end)

command('ZREVRANGE', 3, nil, function(args)
  return z_by_place(args, true, z_options(args, 4).WITHSCORES)
end)

local function by_test(test_of, reverse)
  return function(args)
    local options = z_options(args, 4)
    local low, high = args[2], args[3]
    if reverse then
      low, high = high, low
    end
    local test, least, most = test_of(low, high)
    return z_select(of('zset', args[1]), test, least, most, reverse, options.offset, options.count, options.WITHSCORES)
  end
end

command('ZRANGEBYSCORE', 3, nil, by_test(score_test, false))
command('ZREVRANGEBYSCORE', 3, nil, by_test(score_test, true))
command('ZRANGEBYLEX', 3, nil, by_test(lex_test, false))

command('ZREMRANGEBYSCORE', 3, 3, function(args)
  local test, low, high = score_test(args[2], args[3])
  local zset = of('zset', args[1])
  local gone = z_select(zset, test, low, high, false, 0, -1)
  for _, member in ipairs(gone) do
    z_remove(zset, member)
  end
  if zset then
    drop_if_empty(args[1], zset.n)
  end
  return #gone
end)

command('ZPOPMAX', 1, 2, function(args)
  local zset = of('zset', args[1])
  local taken = {}
  for _ = 1, zset and min(args[2] and integer(args[2]) or 1, zset.n) or 0 do
    local member = zset.list[zset.n]
    taken[#taken + 1], taken[#taken + 2] = member, score_text(zset.map[member])
    z_remove(zset, member)
  end
  if zset then
    drop_if_empty(args[1], zset.n)
  end
  return taken
end)

-- Streams

command('XADD', 4, nil, function(args)
  if args[2] ~= '*' then
    refuse('ERR syntax error')
  elseif #args % 2 == 1 then
    refuse("ERR wrong number of arguments for 'xadd' command")
  end
  local stream = made('stream', args[1])
  local entry = { ms = now, seq = 0, fields = {} }
  if stream.ms and stream.ms >= now then
    entry.ms, entry.seq = stream.ms, stream.seq + 1
  end
  for at = 3, #args do
    entry.fields[at - 2] = args[at]
  end
  stream.ms, stream.seq = entry.ms, entry.seq
  stream.list[#stream.list + 1] = entry
  return id_text(entry)
end, true)

command('XLEN', 1, 1, function(args)
  local stream = of('stream', args[1])
  return stream and #stream.list or 0
end)

local function range(reverse)
  return function(args)
    local count = args[5] and integer(args[5]) or -1
    local first, last = args[2], args[3]
    if reverse then
      first, last = last, first
    end
    return x_range(of('stream', args[1]), first, last, count, reverse)
  end
end

command('XRANGE', 3, 5, range(false))
command('XREVRANGE', 3, 5, range(true))

command('XTRIM', 3, nil, function(args)
  local stream = of('stream', args[1])
  local by, value = string.upper(args[2]), args[3]
  if by ~= 'MAXLEN' and by ~= 'MINID' then
    refuse('ERR syntax error')
  end
  local ms, seq = 0, 0
  if by == 'MINID' then
    ms, seq = id_bound(value, true)
  end
  local count = 0
  if stream then
    local size = #stream.list
    while count < size do
      local entry = stream.list[count + 1]
      if by == 'MAXLEN' and size - count <= integer(value)
          or by == 'MINID' and (entry.ms > ms or entry.ms == ms and entry.seq >= seq) then
        break
      end
      count = count + 1
    end
    l_cut(stream, count)
  end
  return count
end)

command('XDEL', 2, nil, function(args)
  local stream = of('stream', args[1])
  local count = 0
  for at = 2, #args do
    local ms, seq = id_bound(args[at], true)
    for place, entry in ipairs(stream and stream.list or {}) do
      if entry.ms == ms and entry.seq == seq then
        table.remove(stream.list, place)
        count = count + 1
        break
      end
    end
  end
  return count
end)

-- The server

command('PUBLISH', 2, 2, function(args)
  published[#published + 1] = args[1]
  published[#published + 1] = args[2]
  return subscribers[args[1]] or 0
end)

command('INFO', 0, 1, function()
  return '# Server\r\nredis_version:7.0.15\r\nrun_id:' .. run_id .. '\r\n'
end)

local READS = { TIME = true, EXISTS = true, TYPE = true, KEYS = true, PTTL = true, GET = true, HGET = true, HMGET = true,
  HEXISTS = true, HLEN = true, HSTRLEN = true, HGETALL = true, HKEYS = true, HSCAN = true, LLEN = true, LRANGE = true,
  LPOS = true, SISMEMBER = true, SMISMEMBER = true, SMEMBERS = true, SCARD = true, ZSCORE = true, ZMSCORE = true,
  ZCARD = true, ZRANK = true, ZCOUNT = true, ZLEXCOUNT = true, ZRANGE = true, ZREVRANGE = true, ZRANGEBYSCORE = true,
  ZREVRANGEBYSCORE = true, ZRANGEBYLEX = true, XLEN = true, XRANGE = true, XREVRANGE = true, PUBLISH = true, INFO = true }

for name, each in pairs(commands) do
  each.writes = not READS[name]
end

local function call(name, ...)
  local args, size = { ... }, select('#', ...)
  for at = 1, size do
    local arg = args[at]
    if type(arg) ~= 'string' then
      if type(arg) ~= 'number' then
        refuse('ERR Lua redis lib command arguments must be strings or integers')
      end
      args[at] = format('%.17g', arg)
    end
  end
  local found = commands[name] or commands[string.upper(name)]
  if not found then
    refuse('ERR Unknown Redis command called from script')
  elseif size < found.least or size > found.most then
    refuse('ERR Wrong number of args calling Redis command from script')
  elseif full and found.grows and not wrote then
    refuse("OOM command not allowed when used memory > 'maxmemory'.")
  end
  local reply = found.run(args)
  wrote = wrote or found.writes
  return reply
end

redis = {
  call = call,
  pcall = function(...)
    local ok, reply = pcall(call, ...)
    if ok then
      return reply
    end
    return { err = getmetatable(reply) == Refusal and reply.err or tostring(reply) }
  end,
  error_reply = function(text)
    return { err = text }
  end,
  status_reply = function(text)
    return { ok = text }
  end
}

setmetatable(redis, {
  __tostring = function()
    return format('table: 0x%012x', lua_state * 64)
  end
})

-- Packed numbers and texts, as far as the scripts use them

local function number_of(text, at, size)
  local number = 0
  for place = at, at + size - 1 do
    number = number * 256 + string.byte(text, place)
  end
  return number
end

local function packed(number, size)
  local bytes = ''
  for _ = 1, size do
    bytes = string.char(number % 256) .. bytes
    number = floor(number / 256)
  end
  return bytes
end

local PARTS = {}

local function parts_of(format)
  local parts = PARTS[format]
  if not parts then
    parts = {}
    for kind, size in string.gmatch(format, '([sIc])(%d*)') do
      parts[#parts + 1] = { kind, tonumber(size) }
    end
    PARTS[format] = parts
  end
  return parts
end

struct = {
  pack = function(format, ...)
    local args, text, at = { ... }, {}, 1
    for _, part in ipairs(parts_of(format)) do
      local value = args[at]
      text[at] = part[1] == 'I' and packed(tonumber(value), part[2]) or part[1] == 's' and value .. '\0' or value
      at = at + 1
    end
    return table.concat(text)
  end,
  unpack = function(format, text, at)
    at = at or 1
    local found, size = {}, 0
    for _, part in ipairs(parts_of(format)) do
      if part[1] == 'I' then
        if at + part[2] - 1 > #text then
          error('data string too short', 2)
        end
        size = number_of(text, at, part[2])
        found[#found + 1] = size
        at = at + part[2]
      elseif part[1] == 'c' then
        found[#found] = string.sub(text, at, at + size - 1)
        if #found[#found] < size then
          error('data string too short', 2)
        end
        at = at + size
      else
        local ends = find(text, '\0', at, true)
        if not ends then
          error('unfinished string in data', 2)
        end
        found[#found + 1] = string.sub(text, at, ends - 1)
        at = ends + 1
      end
    end
    found[#found + 1] = at
    return unpack(found)
  end
}

-- SHA-1, with tables for the operations on bytes that Lua 5.1 does not have.
local ANDS, XORS = {}, {}
for one = 0, 255 do
  ANDS[one], XORS[one] = {}, {}
  for other = 0, 255 do
    local both, either, a, b, bit = 0, 0, one, other, 1
    for _ = 1, 8 do
      local x, y = a % 2, b % 2
      both, either = both + x * y * bit, either + (x + y) % 2 * bit
      a, b, bit = (a - x) / 2, (b - y) / 2, bit * 2
    end
    ANDS[one][other], XORS[one][other] = both, either
  end
end

local function by_bytes(tables, one, other)
  local result, shift = 0, 1
  for _ = 1, 4 do
    local a, b = one % 256, other % 256
    result = result + tables[a][b] * shift
    one, other, shift = (one - a) / 256, (other - b) / 256, shift * 256
  end
  return result
end

local function rotated(number, bits)
  local high = floor(number / 2 ^ (32 - bits))
  return (number * 2 ^ bits) % 2 ^ 32 + high
end

local function sha1hex(text)
  text = text_of(text)
  local h = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 }
  local padded = text .. '\128' .. string.rep('\0', (55 - #text) % 64) .. packed(0, 4) .. packed(#text * 8, 4)
  for at = 1, #padded, 64 do
    local w = {}
    for i = 0, 15 do
      local a, b, c, d = string.byte(padded, at + i * 4, at + i * 4 + 3)
      w[i] = a * 2 ^ 24 + b * 2 ^ 16 + c * 2 ^ 8 + d
    end
    for i = 16, 79 do
      w[i] = rotated(by_bytes(XORS, by_bytes(XORS, w[i - 3], w[i - 8]), by_bytes(XORS, w[i - 14], w[i - 16])), 1)
    end
    local a, b, c, d, e = unpack(h)
    for i = 0, 79 do
      local mixed, add
      if i < 20 then
        mixed, add = by_bytes(XORS, d, by_bytes(ANDS, b, by_bytes(XORS, c, d))), 0x5A827999
      elseif i < 40 then
        mixed, add = by_bytes(XORS, by_bytes(XORS, b, c), d), 0x6ED9EBA1
      elseif i < 60 then
        local both = by_bytes(ANDS, b, c)
        mixed, add = by_bytes(XORS, both, by_bytes(ANDS, d, by_bytes(XORS, b, c))), 0x8F1BBCDC
      else
        mixed, add = by_bytes(XORS, by_bytes(XORS, b, c), d), 0xCA62C1D6
      end
      a, b, c, d, e = (rotated(a, 5) + mixed + e + add + w[i]) % 2 ^ 32, a, rotated(b, 30), c, d
    end
    for i, part in ipairs({ a, b, c, d, e }) do
      h[i] = (h[i] + part) % 2 ^ 32
    end
  end
  return format('%08x%08x%08x%08x%08x', unpack(h))
end

redis.sha1hex = sha1hex

-- What the simulation calls

-- Tables give their fields in an order of their own, which no script may rely on. Here it is the order of the fields, so that a run
-- can be repeated by each engine; every other run has it backwards.
local function comes_later(a, b)
  if type(a) ~= type(b) then
    return type(a) < type(b)
  end
  return a < b
end

local function pairs_in_order(fields)
  local order = {}
  for field in next, fields do
    order[#order + 1] = field
  end
  table.sort(order, comes_later)
  local size = #order
  local at, step = 0, 1
  if small < 128 then
    at, step = size + 1, -1
  end
  return function()
    repeat
      at = at + step
    until order[at] == nil or fields[order[at]] ~= nil
    return order[at], fields[order[at]]
  end
end

-- How a script's globals are kept: only what Redis gives is there.
local function environment()
  local own = {}
  for _, name in ipairs({ 'redis', 'struct', 'string', 'table', 'math', 'tonumber', 'tostring', 'type', 'pairs', 'ipairs',
    'unpack', 'select', 'next', 'error', 'pcall', 'assert', 'rawget', 'rawset', 'setmetatable', 'getmetatable' }) do
    own[name] = _G[name]
  end
  own.pairs = pairs_in_order
  return setmetatable(own, {
    __index = function(_, name)
      error('Script attempted to access nonexistent global variable \'' .. tostring(name) .. '\'', 2)
    end,
    __newindex = function(_, name)
      error('Script attempted to create global variable \'' .. tostring(name) .. '\'', 2)
    end
  })
end

local ENVIRONMENT = environment()

local function encode(value, out)
  local kind = type(value)
  if kind == 'string' then
    out[#out + 1] = '$' .. #value .. '\r\n' .. value .. '\r\n'
  elseif kind == 'number' then
    out[#out + 1] = format(':%.0f\r\n', value < 0 and math.ceil(value) or floor(value))
  elseif kind == 'boolean' then
    out[#out + 1] = value and ':1\r\n' or '$-1\r\n'
  elseif kind == 'table' and value.err then
    out[#out + 1] = '-' .. string.gsub(value.err, '[\r\n]', ' ') .. '\r\n'
  elseif kind == 'table' and value.ok then
    out[#out + 1] = '+' .. value.ok .. '\r\n'
  elseif kind == 'table' then
    local size = 0
    while value[size + 1] ~= nil do
      size = size + 1
    end
    out[#out + 1] = '*' .. size .. '\r\n'
    for place = 1, size do
      encode(value[place], out)
    end
  else
    out[#out + 1] = '$-1\r\n'
  end
end

-- Bytes come as UTF-8 of characters below 256, as the bridge knows no others.
local BYTES = {}
for byte = 128, 255 do
  BYTES[string.char(byte < 192 and 194 or 195, byte % 64 + 128)] = string.char(byte)
end
BYTES['\192\128'] = '\0'

local function bytes_of(text)
  return find(text, '[\192-\195]') and (string.gsub(text, '[\192-\195][\128-\191]', BYTES)) or text
end

-- Texts come as one: their lengths, each with a blank behind it, or a mark if the text has bytes that come as UTF-8; then a line break,
-- then the texts.
local function parted(text)
  local at = find(text, '\n', 1, true) + 1
  local parts, count = {}, 0
  for size, mark in string.gmatch(string.sub(text, 1, at - 2), '(%d+)(.)') do
    local ends = at + size
    local part = string.sub(text, at, ends - 1)
    count = count + 1
    parts[count] = mark == ' ' and part or bytes_of(part)
    at = ends
  end
  return parts
end

-- The keys of a queue come again and again, and scripts do not change them.
local parted_keys = {}

-- Runs a script that was loaded. Returns its reply as Redis writes it, then what it published.
function run(script, time, keys, args)
  parted_keys[keys] = parted_keys[keys] or parted(keys)
  now, published, wrote = time, {}, false
  rawset(ENVIRONMENT, 'KEYS', parted_keys[keys])
  rawset(ENVIRONMENT, 'ARGV', parted(args))
  local ok, reply = pcall(texts[script])
  if not ok then
    reply = getmetatable(reply) == Refusal and { err = reply.err } or type(reply) == 'table' and reply
      or { err = 'ERR ' .. tostring(reply) }
  end
  local out = {}
  encode(reply, out)
  encode(published, out)
  return table.concat(out)
end

texts = {}

function load_script(name, text)
  local loaded, failure = loadstring(bytes_of(text), '@' .. name)
  if not loaded then
    error(failure)
  end
  texts[name] = setfenv(loaded, ENVIRONMENT)
end

function reset(listpack_entries)
  db, expiries, published, subscribers, parted_keys = {}, {}, {}, {}, {}
  now, full, small, wrote, run_id, lua_state = 0, false, listpack_entries, false, string.rep('5', 40), 1
end

function set_full(value)
  full = value
end

function subscribe(channel)
  subscribers[channel] = 1
end

function unsubscribe(channel)
  subscribers[channel] = nil
end

local function copied(value)
  if type(value) ~= 'table' then
    return value
  end
  local copy = {}
  for key, part in pairs(value) do
    copy[key] = copied(part)
  end
  return copy
end

-- Has scripts find another state of Lua, as after SCRIPT FLUSH. They know one by the address of a table.
function renew_lua()
  lua_state = lua_state + 1
end

function set_run_id(value)
  run_id = value
  renew_lua()
end

local saved = {}

-- Keeps what there is now, under a name
function save(name)
  saved[name] = { copied(db), copied(expiries) }
end

-- Goes back to what was kept
function go_back(name)
  db, expiries = copied(saved[name][1]), copied(saved[name][2])
end

function forget(name)
  saved[name] = nil
end

reset(128)
