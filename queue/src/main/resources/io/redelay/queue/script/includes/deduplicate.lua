-- How a send adds messages that were sent with a key: the first wins, the newest replaces the one that waits, or their payloads
-- gather in one message.
--
--@keys-of send
-- reads    add, add_unless_twin, chunk_of, expiry, flush, forget_living, free_id, hold_back, remove_from, remove_packed, now, stamp
-- changes  add_with_key, adds_with_key, any_now, block_again, finish_keys, index, longest, rules, reply_words
-- sets     nothing

-- rules has by position: name and mode, most and bytes: of the first wins the window, ms, and whether a duplicate extends it (1) or
-- not (0); of debounce the longest wait, ms, and 0; of gather how many payloads, and bytes. longest_wait: of gather the longest wait,
-- ms, if each payload restarts the wait, else 0.
local GATHERS_BYTE, owner_of = index.GATHERS_BYTE, index.owner_of
local given = 0 -- how many names this request has given
local ID_BYTES = 32 -- what an id adds to an envelope, which a message is given when it is full
local touched = {} -- names that this request gave to a message that may not be in its place yet
local open = {} -- name -> the message in which this request gathers payloads
local gathered = {} -- entries for the reply about them

do
  local words, text = ARGV[7], nil
  local at = 1
  while at <= #words do
    text, at = struct.unpack('>I2c0', words, at)
    local position, most, bytes, longest_wait, name = string.match(text, '^(%d+) (%d+) (%d+) (%d+) (.*)$')
    rules[tonumber(position)] = { name = name, mode = string.sub(name, 1, 1), most = tonumber(most), bytes = tonumber(bytes),
      longest_wait = tonumber(longest_wait) }
  end
end

local function add_to_reply(mark, position, id, due)
  local n = #reply_words
  reply_words[n + 1] = mark .. string.format('%d', position)
  reply_words[n + 2] = string.gsub(id, '[%% ]', { ['%'] = '%25', [' '] = '%20' }) -- it is one word of the reply
  reply_words[n + 3] = string.format('%.0f', math.max(due, now))
end

-- Gives a key to a message, until a time or while it lives. is_known: whether the key may be there.
local function give(name, uid, entry, until_when, is_known)
  local former = is_known and owner_of(redis.call('HGET', KEYS.dedup, name))
  if former and former ~= uid and string.byte(name) ~= GATHERS_BYTE then
    redis.call('HDEL', KEYS.dedup, 'u:' .. former)
  end
  redis.call('HSET', KEYS.dedup, name, uid .. ' ' .. entry, 'u:' .. uid, name)
  redis.call('ZADD', KEYS.dedup_expiries, until_when, name)
  touched[name], given = true, given + 1
end

-- Gives the entry of a key that the first wins, if another message has it, and whether there is one, if only one that is over.
local function first(rule)
  local ends = redis.call('ZSCORE', KEYS.dedup_expiries, rule.name)
  return ends and tonumber(ends) > now and redis.call('HGET', KEYS.dedup, rule.name), ends
end

local function add_first(position, uid, due, id, body, attributes, rule)
  local entry, is_known = first(rule)
  local other, other_id = string.match(entry or '', '^(%S+) ?(.*)$')
  if other then
    if rule.bytes == 1 then
      redis.call('ZADD', KEYS.dedup_expiries, 'XX', 'GT', string.format('%.0f', now + rule.most), rule.name)
    end
    local _, packed_due = chunk_of(other)
    add_to_reply('=', position, other_id ~= '' and other_id or other, redis.call('ZSCORE', KEYS.scheduled, other) or packed_due or now)
    if attributes then
      index.note_end(attributes, 'duplicate', '')
    end
  elseif id == '' and add(uid, due, body, attributes) or id ~= '' and add_unless_twin(position, uid, due, id, body, attributes) then
    give(rule.name, uid, id, string.format('%.0f', now + rule.most), is_known)
  end
end

-- The waiting message that is to be replaced, when the first one was sent, when it is due if it is scheduled, and the number of its
-- chunk if it is packed; nothing if there is none. A message that has waited
-- for long enough is not replaced, so that a stream of new ones does not delay it; except one that is scheduled for a retry.
local function replaceable(rule)
  local uid, first_sent = string.match(redis.call('HGET', KEYS.dedup, rule.name) or '', '^(%S+) (%d+)$')
  local chunk, packed_due
  if uid and redis.call('HEXISTS', KEYS.messages, uid) == 0 then
    chunk, packed_due = chunk_of(uid)
    uid = chunk and uid
  end
  if not uid or redis.call('HEXISTS', KEYS.held, uid) == 1 then
    return nil
  end
  first_sent = tonumber(first_sent)
  local due = packed_due or redis.call('ZSCORE', KEYS.scheduled, uid)
  if now < first_sent + rule.most then
    return uid, first_sent, due, chunk
  elseif due and tonumber(due) > now then
    return uid, now, due, chunk
  end
end

local function add_newest(position, uid, due, body, attributes, rule)
  local other, first_sent, scheduled_for, chunk = replaceable(rule)
  -- A message far from both ends of a long list would leave an entry there, so it stays.
  if other and (scheduled_for or index.remove_seats({ other }) == 1
      or remove_from(KEYS.ready, other) or remove_from(KEYS.suspects, other)
      or redis.call('LPOS', KEYS.ready, other, 'RANK', -1, 'MAXLEN', 5000) and redis.call('LREM', KEYS.ready, -1, other) == 1) then
    due = math.min(due, first_sent + rule.most)
    if hold_back then
      due = math.max(due, now + hold_back)
    end
    add_to_reply('<', position, redis.call('HGET', KEYS.ids, 'u:' .. other) or other, due)
    if chunk then
      remove_packed(other)
    end
    index.release_keys({ other }, false)
    index.ended({ other }, index.attributes_of({ other }), 'replaced')
    forget_living(index, other)
    free_id(KEYS.ids, other)
  else
    first_sent = now
  end
  add(uid, due, body, attributes)
  give(rule.name, uid, string.format('%.0f', first_sent), '+inf', true)
end

-- The message in which payloads of a key gather. It is scheduled for the time in its entry, so it was never claimed: a retry would
-- have another time. As that time is not over, it was not claimed before Redis went back in time either.
local function gathering(rule)
  local entry = redis.call('HGET', KEYS.dedup, rule.name)
  if not entry then
    return nil
  end
  local uid, due, count, latest = string.match(entry, '^(%S+) (%d+) (%d+) ?(%d*)$')
  if not due or tonumber(due) <= now or redis.call('ZSCORE', KEYS.scheduled, uid) ~= due then
    return nil
  end
  local body = redis.call('HGET', KEYS.messages, uid)
  return body and { uid = uid, id = uid, name = rule.name, due = tonumber(due), count = tonumber(count), size = #body,
    latest = tonumber(latest), parts = { string.sub(body, 1, -3) }, members = {} }
end

-- due_from(message, due): has a message wait until another time, from which its time to live counts.
local function due_from(message, due, more)
  message.due = due
  message.parts[1] = string.gsub(message.parts[1], '^({"sentAt":%d+,"dueAt":)%d+,',
    '%1' .. string.format('%.0f', due) .. ',' .. (more or ''))
  local expires = expiry(message.parts[1], due)
  if expires then
    redis.call('ZADD', KEYS.expiries, expires, message.uid)
    index.has_expiries = true
  end
end

local function write(message)
  message.parts = { table.concat(message.parts, ',') }
  redis.call('HSET', KEYS.messages, message.uid, message.parts[1] .. ']}')
  longest = math.max(longest, message.size)
  if #message.members > 0 then
    local fields, more = {}, table.concat(message.members, ' ')
    for n, member in ipairs(message.members) do
      fields[2 * n - 1], fields[2 * n] = 'g:' .. member, '1'
    end
    local before = redis.call('HGET', KEYS.dedup, 'm:' .. message.uid)
    redis.call('HSET', KEYS.dedup, 'm:' .. message.uid, before and before .. ' ' .. more or more, unpack(fields))
    message.members = {}
  end
end

-- Gives a message a uid that was never used; the former one becomes its id.
local function rename(message, fresh)
  local uid = message.uid
  redis.call('HDEL', KEYS.messages, uid)
  redis.call('ZREM', KEYS.expiries, uid)
  redis.call('HSET', KEYS.ids, 'i:' .. uid, fresh, 'u:' .. fresh, uid)
  local attributes = redis.call('HGET', index.keys, uid)
  if attributes then
    redis.call('HDEL', index.keys, uid)
    redis.call('HSET', index.keys, fresh, attributes)
    index.untag({ uid, attributes })
    index.tag({ fresh, attributes })
  end
  index.move_key(uid, fresh)
  message.uid = fresh
end

-- A full message is due now, and gathers no more. If Redis goes back to before that, the message gathers again and must not be taken
-- for the one that was claimed: so it is moved to another uid.
local function close(message, closer)
  flush()
  redis.call('ZREM', KEYS.scheduled, message.uid)
  local id = ''
  if not message.is_new then
    rename(message, closer .. '.' .. stamp)
    id = '"id":"' .. message.id .. '",'
    message.size = message.size + #id
  end
  due_from(message, now, id)
  write(message)
  any_now = index.place({ message.uid }) > 0 or any_now
  redis.call('HDEL', KEYS.dedup, message.name)
  redis.call('ZREM', KEYS.dedup_expiries, message.name)
  open[message.name] = nil
end

local function payload_of(body)
  local _, before = string.find(body, '"payload":[', 1, true)
  return string.sub(body, before + 1, -3)
end

-- What dedup has of a key by which payloads gather, behind the uid.
local function entry_of(message)
  return string.format(message.latest and '%.0f %d %.0f' or '%.0f %d', message.due, message.count, message.latest)
end

local function gather(position, uid, due, body, attributes, rule)
  local message = open[rule.name] or gathering(rule)
  local payload = payload_of(body)
  if message and message.size + 1 + #payload + ID_BYTES > rule.bytes then
    close(message, uid)
    message = nil
  end
  local mark = '>'
  if message then
    message.count = message.count + 1
    message.size = message.size + 1 + #payload
    message.parts[#message.parts + 1] = payload
    message.members[#message.members + 1] = uid
    -- Never earlier than before: if Redis goes back, a message that was claimed must not gather again.
    if message.latest and rule.longest_wait > 0 then
      message.moved_to = math.max(message.moved_to or message.due, math.min(due, message.latest))
    end
  else
    mark = '+'
    local stored = add(uid, due, body, attributes)
    if hold_back then -- a consumer may hold it, and report that later
      return
    end
    message = { uid = uid, id = uid, is_new = true, name = rule.name, due = due, count = 1, size = #stored,
      latest = rule.longest_wait > 0 and math.max(due, now + 1 + rule.longest_wait) or nil,
      parts = { string.sub(stored, 1, -3) }, members = {} }
    give(rule.name, uid, entry_of(message), '+inf', true)
  end
  open[rule.name] = message
  gathered[#gathered + 1] = { mark = mark, position = position, message = message }
  if message.count >= rule.most or message.size >= rule.bytes then
    close(message, uid)
  end
end

-- adds_with_key(rule, body, seen, spared): how many messages one adds, and how many originals of its duplicates wait, before it
-- is added.
adds_with_key = function(rule, body, seen, spared)
  local before = seen[rule.name]
  if rule.mode == 'a' then
    before = before or gathering(rule)
    local added, originals = 1, 0
    if before then
      if before.uid and not spared[before.uid] then
        spared[before.uid], originals = 'original', 1
      end
      local size = before.size + 1 + #payload_of(body)
      if before.count < rule.most and size + ID_BYTES <= rule.bytes then
        seen[rule.name] = { uid = before.uid, count = before.count + 1, size = size }
        return 0, originals
      end
    end
    seen[rule.name] = { count = 1, size = #body + 64 }
    return added, originals
  end
  seen[rule.name] = true
  if before then
    return 0, 0
  elseif rule.mode == 'd' then
    return replaceable(rule) and 0 or 1, 0
  end
  local other = owner_of(first(rule))
  if not other then
    return 1, 0
  elseif spared[other] or redis.call('HEXISTS', KEYS.messages, other) == 0 then
    return 0, 0
  end
  spared[other] = 'original'
  return 0, 1 - redis.call('HEXISTS', KEYS.held, other)
end

-- add_with_key(position, uid, due, id, body, attributes, rule): adds a message that was sent with a key.
add_with_key = function(position, uid, due, id, body, attributes, rule)
  if touched[rule.name] and rule.mode ~= 'a' then
    flush()
  end
  if rule.mode == 'f' then
    add_first(position, uid, due, id, body, attributes, rule)
  elseif rule.mode == 'd' then
    add_newest(position, uid, due, body, attributes, rule)
  else
    gather(position, uid, due, body, attributes, rule)
  end
end

-- block_again(uid, id, rule): gives a message that was sent before its key again.
block_again = function(uid, id, rule)
  if rule.mode == 'f' and not first(rule) and not redis.call('ZSCORE', KEYS.dead, uid) then
    give(rule.name, uid, id, string.format('%.0f', now + rule.most), true)
  end
end

-- finish_keys(): writes the gathered payloads, and removes expired keys: at most a hundred more than were given.
finish_keys = function()
  for name, message in pairs(open) do
    if message.moved_to and message.moved_to > message.due then
      due_from(message, message.moved_to)
      redis.call('ZADD', KEYS.scheduled, string.format('%.0f', message.due), message.uid)
    end
    write(message)
    redis.call('HSET', KEYS.dedup, name, message.uid .. ' ' .. entry_of(message))
  end
  for _, each in ipairs(gathered) do
    add_to_reply(each.mark, each.position, each.message.id, each.message.due)
  end
  local over = redis.call('ZRANGEBYSCORE', KEYS.dedup_expiries, '-inf', stamp, 'LIMIT', 0, given + 100)
  for from = 1, #over, 1000 do
    local names = { unpack(over, from, math.min(from + 999, #over)) }
    for n, entry in ipairs(redis.call('HMGET', KEYS.dedup, unpack(names))) do
      redis.call('HDEL', KEYS.dedup, names[n], 'u:' .. (owner_of(entry) or ''))
    end
    redis.call('ZREM', KEYS.dedup_expiries, unpack(names))
  end
  index.expire_dedup()
  if given > 0 then
    redis.call('HSET', KEYS.meta, 'keyed', '1')
  end
end
-- The first write is one that a full Redis refuses; see I7. The next ones may delete.
redis.call('APPEND', KEYS.sent, '')
