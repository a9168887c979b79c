-- Adds messages, all or none, now or to be delivered later.
--
-- I1  each message gets its body and exactly one of READY and SCHEDULED.
-- I2  a delay starts with the next full millisecond of the master's clock: never early.
-- I3  a request number seen before gives what it gave and adds nothing; a lower one does nothing; an unknown lane neither.
-- I7  the first write is one that a full Redis refuses: nothing is added then, and the caller is told.
-- I8  a limit on the queue's length refuses all, or drops what has waited longest and tells it.
-- An id that a living message carries makes the new one a duplicate; a dead message gives its id up.
--
-- KEYS[1] sent:<lane>    the lane's last request number and its results
-- KEYS[2] messages       uid -> envelope
-- KEYS[3] ready
-- KEYS[4] sleepers
-- KEYS[5] known          there if the queue is known
-- KEYS[6] meta           longest -> length of the longest envelope ever if above 4096, closed -> whether nothing is to be sent
-- The others only if a message has an id or is due later, or there is a limit, for each costs:
-- KEYS[7] scheduled
-- KEYS[8] ids            i:<id> -> uid, u:<uid> -> id
-- KEYS[9] tries
-- KEYS[10] history
-- ARGV[1] request number
-- ARGV[2] how long an unused lane is remembered, ms
-- ARGV[3] wake channel, without the instance
-- ARGV[4] length of the longest envelope of this request, bytes
-- ARGV[5] how many living messages the queue may have, with ! behind it to drop what has waited longest; '' if any number
-- ARGV[6] how many messages there are
-- ARGV[7] the messages, all in one argument, for each costs. Of each, with its length before it (of two and of four bytes, the
--         highest first): its uid, followed by when ('' now, '+ms' after, '@ms' at) and, if it has one, by a blank and its id;
--         its envelope (a JSON object, not empty) from behind the opening brace
-- reply   {'OK', now, then three a duplicate: position from 0, uid that has the id, when that one is due;
--          and three a message that was dropped: '-', its uid, '0'}
--         {'FULL', now, how many there are}; {'CLOSED', now}
--         {'GONE'} the lane or the queue is unknown; {'STALE'} a later request was seen
--@include clock
--@include wake
--@include once
--@include when
--@include longest
local sent, messages, ready, sleepers, known, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local scheduled, ids, tries, history = KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local seq, memory_ms, channel, longest, limit = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local count, packed = tonumber(ARGV[6]), ARGV[7]
local plain = not scheduled
--@include free_id
--@include forget_living

local seen = once(sent, seq)
if seen then
  return seen
end
-- One look at three keys, for each call costs: one counts once, one twice and one four times, so the sum tells which there are.
local found = redis.call('EXISTS', known, meta, meta, sleepers, sleepers, sleepers, sleepers)
if found % 2 == 0 then
  return { 'GONE' }
end
local settings = found % 4 > 1 and redis.call('HMGET', meta, 'longest', 'closed') or {}
local somebody_sleeps = found > 3

local stamp = string.format('%.0f', now)
local result = { 'OK', stamp }
local bodies, due_now, due_later = {}, {}, {}
local length, count_now = 0, 0 -- of bodies and due_now

local function flush()
  if length > 0 then
    redis.call('HSET', messages, unpack(bodies))
  end
  if count_now > 0 then
    redis.call('RPUSH', ready, unpack(due_now))
  end
  if #due_later > 0 then
    redis.call('ZADD', scheduled, unpack(due_later))
  end
  bodies, due_now, due_later = {}, {}, {}
  length, count_now = 0, 0
end

-- twin(id): the living message that has the id.
local function twin(id)
  local other = redis.call('HGET', ids, 'i:' .. id)
  return other and redis.call('HEXISTS', messages, other) == 1 and other
end

local MESSAGE = '>I2c0I4c0' -- how struct reads one

-- parts(head): uid, when and id of a message.
local function parts(head)
  return string.match(head, '^([^+@ ]+)([+@]?%d*) ?(.*)$')
end

-- How many messages this request adds.
local function additions()
  local added, new = 0, {}
  local head, _
  local at = 1
  for _ = 1, count do
    head, _, at = struct.unpack(MESSAGE, packed, at)
    local _, _, id = parts(head)
    if id == '' or not new[id] and not twin(id) then
      added = added + 1
      new[id] = true
    end
  end
  return added
end

local function refuse(...)
  local refusal = { ... }
  remember(sent, seq, refusal, memory_ms)
  return refusal
end

if settings[2] then
  return refuse('CLOSED', stamp)
end
local most, drops = string.match(limit, '^(%d+)(!?)$')
if most and drops == '' then
  local length = redis.call('HLEN', messages)
  if length + additions() > tonumber(most) then
    return refuse('FULL', stamp, tostring(length))
  end
end

local any_now, any_later = false, false
local mine = {} -- id -> uid and due time of the messages of this request

-- add(uid, due, body): puts a message in its place.
local times = '{"sentAt":' .. stamp .. ','
local function add(uid, due, body)
  local head = times
  if due ~= now then
    head = times .. '"dueAt":' .. string.format('%.0f', due) .. ','
  end
  bodies[length + 1], bodies[length + 2] = uid, head .. body
  length = length + 2
  if due <= now then
    count_now = count_now + 1
    due_now[count_now] = uid
    any_now = true
  else
    due_later[#due_later + 1] = due
    due_later[#due_later + 1] = uid
    any_later = true
  end
end

-- add_unless_twin(position, uid, due, id, body): adds a message, or tells of the one that has its id.
local function add_unless_twin(position, uid, due, id, body)
  local other, other_due
  if mine[id] then
    other, other_due = mine[id][1], mine[id][2]
  else
    other = twin(id)
    other_due = other and redis.call('ZSCORE', scheduled, other) or stamp
  end
  if other then
    local n = #result
    result[n + 1], result[n + 2], result[n + 3] = string.format('%d', position), other, other_due
  else
    add(uid, due, body)
    mine[id] = { uid, string.format('%.0f', math.max(due, now)) }
    redis.call('HSET', ids, 'i:' .. id, uid, 'u:' .. uid, id)
  end
end

local head, body
local at = 1
for position = 0, count - 1 do
  head, body, at = struct.unpack(MESSAGE, packed, at)
  if plain or not string.find(head, '[+@ ]') then
    add(head, now, body)
  else
    local uid, when, id = parts(head)
    if id == '' then
      add(uid, due_time(when), body)
    else
      add_unless_twin(position, uid, due_time(when), id, body)
    end
  end
  if length >= 1000 then
    flush()
  end
end
flush()

-- Drops what has waited longest. What is held is not dropped. An entry of the list whose message is gone is a step, too, so
-- that a queue of which many were cancelled is somewhat too long for a while rather than Redis busy.
local function drop()
  local excess = redis.call('HLEN', messages) - tonumber(most)
  for _ = 1, count + 1000 do
    if excess <= 0 then
      return
    end
    local uid = redis.call('LPOP', ready) or redis.call('ZRANGE', scheduled, 0, 0)[1]
    if not uid then
      return
    end
    if redis.call('HEXISTS', messages, uid) == 1 then
      excess = excess - 1
      local n = #result
      result[n + 1], result[n + 2], result[n + 3] = '-', uid, '0'
    end
    forget_living(uid)
    free_id(uid)
  end
end

if most and drops == '!' then
  drop()
end
if longest > longest_of(settings[1]) then
  redis.call('HSET', meta, 'longest', longest)
end
remember(sent, seq, result, memory_ms)

if any_now and somebody_sleeps then
  wake(sleepers, channel)
end
if any_later and somebody_sleeps then
  watch(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2], sleepers, channel, now)
end
return result
