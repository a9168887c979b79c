-- Goes through the messages of a queue, one step; changes nothing.
--
-- A message that is there from the first step to the last is shown, unless it moves meanwhile. Living messages, and those in flight,
-- are in no particular order, and one may be shown twice; scheduled ones come as they are due, dead and completed ones the last first,
-- each once. Packed messages are not shown: see far-chunks.
--
-- I6  goes through a bounded number of entries. A step may show none although more follow.
-- I8  reads no more than a number of bytes.
--
--@keys-of find
-- ARGV[1] what: 'LIVING', 'IN_FLIGHT', 'SCHEDULED', 'DEAD' or 'COMPLETED'
-- ARGV[2] how many to look at, at most 500; a few more of those that come in no order    ARGV[3] byte limit, which the last message
--         may exceed
-- ARGV[4] where to go on: the cursor from the previous reply, or the time of the last message that was shown; '' at first
-- ARGV[5] the uid of that message, or the process from the previous reply, or ''    ARGV[6..] the states of the messages to show
-- reply   {'OK', now, '1' if there are more or '0', where to go on, the uid there, or of a cursor the process that knows it, or '',
--         how many were looked at, the number of the next chunk or '' if nothing is packed, then fifteen a message: see describe}
local what, count, left = first, tonumber(ARGV[2]), tonumber(ARGV[3])
local place, place_uid = ARGV[4], ARGV[5]
local wanted = {}
for i = 6, #ARGV do
  wanted[ARGV[i]] = true
end

local reply, examined, more = { 'OK', stamp, '', '', '', '', '' }, 0, false

local function show(uid)
  examined = examined + 1
  if wanted[state_of(uid, now)] then
    left = left - describe(reply, uid, now)
  end
end

-- Whether a uid stands before another one in a sorted set, which compares bytes.
local function is_before(uid, other)
  for i = 1, math.min(#uid, #other) do
    local byte, other_byte = string.byte(uid, i), string.byte(other, i)
    if byte ~= other_byte then
      return byte < other_byte
    end
  end
  return #uid < #other
end

-- Goes on in a hash that Redis reads only as a whole, as it does with a small one: by the uids in their order.
local function walk_through(uids)
  table.sort(uids, is_before)
  local last = place_uid
  place = '0'
  for _, uid in ipairs(uids) do
    if last == '' or is_before(last, uid) then
      if examined >= count or left <= 0 then
        more = true
        return
      end
      show(uid)
      place_uid = uid
    end
  end
end

-- The server's process, if the user may ask for it. A cursor of HSCAN has no meaning to another process, which has another seed: after
-- a restart or a failover it would pass over messages that no step has shown.
local function process()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x%x%x%x%x%x%x%x)') or ''
end

-- Goes through a hash by HSCAN. The bytes it reads are bounded, too: first a few entries, then as many as are left to read if
-- the others are like them.
local function scan(hash)
  local cursor, ask, read = place ~= '' and place or '0', math.min(count, 2), 0
  local here = cursor ~= '0' and process()
  if here and here ~= place_uid then
    cursor, place_uid = '0', '' -- no uid: what is read as a whole from here on begins with the first one
  end
  for step = 1, 100 do
    local page, uids = redis.call('HSCAN', hash, cursor, 'COUNT', ask), {}
    local is_whole = step == 1 and cursor == '0' and page[1] == '0'
    cursor = page[1]
    for i = 1, #page[2], 2 do
      read = read + #page[2][i + 1]
      if string.byte(page[2][i]) ~= OWN_FIELD_BYTE then -- it is no lane, and no bucket; see far
        uids[#uids + 1] = page[2][i]
      end
    end
    if is_whole then
      return walk_through(uids)
    end
    for _, uid in ipairs(uids) do
      show(uid)
    end
    left = math.min(left, tonumber(ARGV[3]) - read)
    if cursor == '0' or examined >= count or left <= 0 then
      break
    end
    local each = math.max(1, read / math.max(1, examined))
    ask = math.max(1, math.min(count - examined, math.floor(left / each)))
  end
  more, place, place_uid = cursor ~= '0', cursor, cursor ~= '0' and (here or process()) or ''
end

-- How many entries of a sorted set stand before the place to go on at. Of those that have its score, they are looked for by halves.
local function passed(set, range, count_before)
  local before, low, high = count_before(), 0, redis.call('ZCOUNT', set, place, place)
  for _ = 1, 40 do
    if low >= high then
      break
    end
    local middle = math.floor((low + high) / 2)
    local uid = redis.call(range, set, before + middle, before + middle)[1]
    local is_passed = uid == place_uid or is_before(uid, place_uid) == (range == 'ZRANGE')
    low, high = is_passed and middle + 1 or low, is_passed and high or middle
  end
  return before + low
end

local function walk(set, range, count_before)
  local from = passed(set, range, count_before)
  local entries = redis.call(range, set, from, from + count, 'WITHSCORES')
  local n = 0
  while n < count and entries[2 * n + 1] and left > 0 do
    show(entries[2 * n + 1])
    place_uid, place = entries[2 * n + 1], entries[2 * n + 2]
    n = n + 1
  end
  more = entries[2 * n + 1] ~= nil
end

if what == 'LIVING' then
  scan(messages)
elseif what == 'IN_FLIGHT' then
  scan(held)
elseif what == 'SCHEDULED' then
  place = place ~= '' and place or stamp
  walk(scheduled, 'ZRANGE', function()
    return redis.call('ZCOUNT', scheduled, '-inf', '(' .. place)
  end)
else
  local set = what == 'DEAD' and dead or completed
  place = place ~= '' and place or '+inf'
  walk(set, 'ZREVRANGE', function()
    return redis.call('ZCOUNT', set, '(' .. place, '+inf')
  end)
end
reply[3], reply[4], reply[5], reply[6] = more and '1' or '0', place, place_uid, string.format('%d', examined)
reply[7] = string.match(redis.call('HGET', KEYS.meta, 'far') or '', '^%d+ (%d+)') or ''
return reply
