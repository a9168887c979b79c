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
-- KEYS[4] scheduled
-- KEYS[5] ids            i:<id> -> uid, u:<uid> -> id
-- KEYS[6] sleepers
-- KEYS[7] meta           longest -> length of the longest envelope ever, closed -> whether nothing is to be sent
-- KEYS[8] tries
-- KEYS[9] history
-- ARGV[1] request number
-- ARGV[2] how long an unused lane is remembered, ms
-- ARGV[3] wake channel, without the instance
-- ARGV[4] length of the longest envelope of this request, bytes
-- ARGV[5] how many living messages the queue may have, with ! behind it to drop what has waited longest; '' if any number
-- ARGV[6..] four a message: uid, when ('' now, '+ms' after, '@ms' at), id or '', envelope (a JSON object, not empty)
-- reply   {'OK', now, then three a duplicate: position from 0, uid that has the id, when that one is due;
--          and three a message that was dropped: '-', its uid, '0'}
--         {'FULL', now, how many there are}; {'CLOSED', now}
--         {'GONE'} the lane or the queue is unknown; {'STALE'} a later request was seen
--@include clock
--@include wake
--@include once
--@include when
local sent, messages, ready, scheduled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ids, sleepers, meta, tries, history = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local seq, memory_ms, channel, longest, limit = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
--@include free_id
--@include forget_living

local seen = once(sent, seq)
if seen then
  return seen
end
local known = redis.call('HMGET', meta, 'longest', 'closed')
if not known[1] then
  return { 'GONE' }
end

local stamp = string.format('%.0f', now)
local result = { 'OK', stamp }
local bodies, due_now, due_later = {}, {}, {}

local function flush()
  if #bodies > 0 then
    redis.call('HSET', messages, unpack(bodies))
  end
  if #due_now > 0 then
    redis.call('RPUSH', ready, unpack(due_now))
  end
  if #due_later > 0 then
    redis.call('ZADD', scheduled, unpack(due_later))
  end
  bodies, due_now, due_later = {}, {}, {}
end

-- twin(id): the living message that has the id.
local function twin(id)
  local other = redis.call('HGET', ids, 'i:' .. id)
  return other and redis.call('HEXISTS', messages, other) == 1 and other
end

-- How many messages this request adds.
local function additions()
  local count, new = 0, {}
  for i = 6, #ARGV, 4 do
    local id = ARGV[i + 2]
    if id == '' or not new[id] and not twin(id) then
      count = count + 1
      new[id] = true
    end
  end
  return count
end

local function refuse(...)
  local refusal = { ... }
  remember(sent, seq, refusal, memory_ms)
  return refusal
end

if known[2] then
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
for i = 6, #ARGV, 4 do
  local uid, due, id, body = ARGV[i], due_time(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  local other, other_due = nil, stamp
  if id ~= '' then
    if mine[id] then
      other, other_due = mine[id][1], mine[id][2]
    else
      other = twin(id)
      other_due = other and redis.call('ZSCORE', scheduled, other) or stamp
    end
  end
  if other then
    result[#result + 1] = string.format('%d', (i - 6) / 4)
    result[#result + 1] = other
    result[#result + 1] = other_due
  else
    local times = '{"sentAt":' .. stamp
    if due ~= now then
      times = times .. ',"dueAt":' .. string.format('%.0f', due)
    end
    bodies[#bodies + 1] = uid
    bodies[#bodies + 1] = times .. ',' .. string.sub(body, 2)
    if due <= now then
      due_now[#due_now + 1] = uid
      any_now = true
    else
      due_later[#due_later + 1] = due
      due_later[#due_later + 1] = uid
      any_later = true
    end
    if id ~= '' then
      mine[id] = { uid, string.format('%.0f', math.max(due, now)) }
      redis.call('HSET', ids, 'i:' .. id, uid, 'u:' .. uid, id)
    end
    if #bodies >= 1000 then
      flush()
    end
  end
end
flush()

-- Drops what has waited longest. What is held is not dropped. An entry of the list whose message is gone is a step, too, so
-- that a queue of which many were cancelled is somewhat too long for a while rather than Redis busy.
local function drop()
  local excess = redis.call('HLEN', messages) - tonumber(most)
  for _ = 1, (#ARGV - 5) / 4 + 1000 do
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
if longest > tonumber(known[1]) then
  redis.call('HSET', meta, 'longest', longest)
end
remember(sent, seq, result, memory_ms)

if any_now then
  wake(sleepers, channel)
end
if any_later then
  watch(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2], sleepers, channel, now)
end
return result
