-- How a send adds messages of which some have an id or are due later, or to a queue of limited length. Works on the locals of
-- the send, whose ARGV[5] it reads; sets reply, longest, any_now and any_later, and ends the script if the queue is full.

local most, drops = string.match(ARGV[5] or '', '^(%d+)(!?)$')
most = tonumber(most)
local bodies, due_now, due_later = {}, {}, {}
local mine = {} -- id -> uid and due time of the messages of this request
local told = {} -- of duplicates and of what was dropped

local function flush()
  if #bodies > 0 then
    redis.call('HSET', messages, unpack(bodies))
  end
  if #due_now > 0 then
    redis.call('RPUSH', ready, unpack(due_now))
    any_now = true
  end
  if #due_later > 0 then
    redis.call('ZADD', scheduled, unpack(due_later))
    any_later = true
  end
  bodies, due_now, due_later = {}, {}, {}
end

-- add(uid, due, body): puts a message in its place.
local function add(uid, due, body)
  if due ~= now then
    body = '"dueAt":' .. string.format('%.0f', due) .. ',' .. body
  end
  body = times .. body
  longest = math.max(longest, #body)
  local n = #bodies
  bodies[n + 1], bodies[n + 2] = uid, body
  if due <= now then
    due_now[#due_now + 1] = uid
  else
    n = #due_later
    due_later[n + 1], due_later[n + 2] = due, uid
  end
  if #bodies == 1000 then
    flush()
  end
end

-- twin(id): the living message that has the id.
local function twin(id)
  local other = redis.call('HGET', ids, 'i:' .. id)
  return other and redis.call('HEXISTS', messages, other) == 1 and other
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
    local n = #told
    told[n + 1], told[n + 2], told[n + 3] = string.format('%d', position), other, other_due
  else
    add(uid, due, body)
    mine[id] = { uid, string.format('%.0f', math.max(due, now)) }
    redis.call('HSET', ids, 'i:' .. id, uid, 'u:' .. uid, id)
  end
end

-- parts(head): uid, when and id of a message.
local function parts(head)
  return string.match(head, '^([^+@ ]+)([+@]?%d*) ?(.*)$')
end

-- How many messages this request adds.
local function additions()
  local added, new = 0, {}
  local head, _
  local at = 1
  while at <= #packed do
    head, _, at = struct.unpack(MESSAGE, packed, at)
    local _, _, id = parts(head)
    if id == '' or not new[id] and not twin(id) then
      added = added + 1
      new[id] = true
    end
  end
  return added
end

-- drop(steps): drops what has waited longest. What is held is not dropped. An entry of the list whose message is gone is a
-- step, too, so that a queue of which many were cancelled is somewhat too long for a while rather than Redis busy.
local function drop(steps)
  local excess = redis.call('HLEN', messages) - most
  for _ = 1, steps do
    if excess <= 0 then
      return
    end
    local uid = redis.call('LPOP', ready) or redis.call('ZRANGE', scheduled, 0, 0)[1]
    if not uid then
      return
    end
    if redis.call('HEXISTS', messages, uid) == 1 then
      excess = excess - 1
      local n = #told
      told[n + 1], told[n + 2], told[n + 3] = '-', uid, '0'
    end
    forget_living(uid)
    free_id(uid)
  end
end

if most and drops == '' then
  local length = redis.call('HLEN', messages)
  if length + additions() > most then
    reply = 'FULL ' .. stamp .. ' ' .. length
    --@include remember
    return reply
  end
end

local head, body
local at, position = 1, 0
while at <= #packed do
  head, body, at = struct.unpack(MESSAGE, packed, at)
  local uid, when, id = parts(head)
  if id == '' then
    add(uid, due_time(when), body)
  else
    add_unless_twin(position, uid, due_time(when), id, body)
  end
  position = position + 1
end
flush()
if most and drops == '!' then
  drop(position + 1000)
end
if #told > 0 then
  reply = reply .. ' ' .. table.concat(told, ' ')
end
