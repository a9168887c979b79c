-- Adds messages, all or none, now or to be delivered later.
--
-- I1  each message gets its body and exactly one of READY and SCHEDULED.
-- I2  a delay starts with the next full millisecond of the master's clock: never early.
-- I3  a request number seen before gives what it gave and adds nothing; a lower one does nothing; an unknown lane neither.
-- I7  the first write is one that a full Redis refuses: nothing is added then, and the caller is told.
-- An id that a living message carries makes the new one a duplicate; a dead message gives its id up.
--
-- KEYS[1] sent:<lane>    the lane's last request number and its results
-- KEYS[2] messages       uid -> envelope
-- KEYS[3] ready
-- KEYS[4] scheduled
-- KEYS[5] ids            i:<id> -> uid, u:<uid> -> id
-- KEYS[6] sleepers
-- KEYS[7] meta
-- ARGV[1] request number
-- ARGV[2] how long an unused lane is remembered, ms
-- ARGV[3] wake channel, without the instance
-- ARGV[4] length of the longest envelope of this request, bytes
-- ARGV[5..] four a message: uid, when ('' now, '+ms' after, '@ms' at), id or '', envelope (a JSON object, not empty)
-- reply   {'OK', now, then three a duplicate: position from 0, uid that has the id, when that one is due}
--         {'GONE'} the lane is unknown; {'STALE'} a later request was seen
--@include clock
--@include wake
local sent, messages, ready, scheduled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ids, sleepers, meta = KEYS[5], KEYS[6], KEYS[7]
local seq, remember, channel, longest = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])

local memory = redis.call('GET', sent)
if not memory then
  return { 'GONE' }
end
local words = {}
for word in string.gmatch(memory, '%S+') do
  words[#words + 1] = word
end
local last = tonumber(words[1])
if seq < last then
  return { 'STALE' }
end
if seq == last then
  words[1] = 'OK'
  return words
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

local function due_time(when)
  if when == '' then
    return now
  elseif string.byte(when) == 64 then -- @
    return tonumber(string.sub(when, 2))
  end
  return now + 1 + tonumber(string.sub(when, 2))
end

local any_now, any_later = false, false
local given_up = {} -- deleted last: see I7
local mine = {} -- id -> uid and due time of the messages of this request
for i = 5, #ARGV, 4 do
  local uid, due, id, body = ARGV[i], due_time(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  local other, other_due = nil, stamp
  if id ~= '' then
    if mine[id] then
      other, other_due = mine[id][1], mine[id][2]
    else
      other = redis.call('HGET', ids, 'i:' .. id)
      if other and redis.call('HEXISTS', messages, other) == 0 then
        given_up[#given_up + 1] = 'u:' .. other
        other = nil
      elseif other then
        other_due = redis.call('ZSCORE', scheduled, other) or stamp
      end
    end
  end
  if other then
    result[#result + 1] = string.format('%d', (i - 5) / 4)
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
for _, field in ipairs(given_up) do
  redis.call('HDEL', ids, field)
end

if longest > tonumber(redis.call('HGET', meta, 'longest') or 0) then
  redis.call('HSET', meta, 'longest', longest)
end
redis.call('SET', sent, seq .. ' ' .. table.concat(result, ' ', 2), 'PX', remember)

if any_now then
  wake(sleepers, channel)
end
if any_later then
  watch(redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2], sleepers, channel, now)
end
return result
