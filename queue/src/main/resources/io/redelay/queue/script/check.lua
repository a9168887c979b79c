-- Checks a part of a queue, one step; changes nothing. The result of a step is true at one moment: it reads each entry of a key, and
-- the entries that other keys must have for the same message.
--
-- I6  a step reads a bounded number of entries; 'held' and 'cancelled' are read as a whole if they have no more than that.
-- I8  of chunks of packed messages it reads few.
--
--@keys messages ready suspects scheduled held lanes tries dead dead:messages ids cancelled history expiries dead:ids keys
--@keys order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries outbox completed
--@keys completed:messages work tags completed:tags bundles bundles:callbacks bundles:pending bundles:results meta far far:chunks
-- ARGV[1] the part, the name of a function of PARTS    ARGV[2] where to go on: 0, or the place from the previous reply
-- ARGV[3] how many entries to read, at most 1000; a few more of a hash. Of 'held' and 'cancelled' how many there may be
-- ARGV[4..] uids, of 'placed' alone
-- reply   {'OK', now, where to go on or '', how many entries were read, how many bytes these have or 0, of a part that adds up
--          bytes the recorded sum of all of them or '', then three a problem: its kind, its subject, its description}
--          Of 'far' it adds up packed messages in place of bytes.
--          Of 'messages', the kind UNPLACED is no problem yet: the uid is in no key but a list, or in none.
--          Of 'ready' and 'suspects', LISTED is none: the uid is in that list, and has a body.
--@include clock
local messages, ready, suspects, scheduled, held, lanes = KEYS.messages, KEYS.ready, KEYS.suspects, KEYS.scheduled, KEYS.held, KEYS.lanes
local tries, dead, dead_messages, ids, cancelled, history = KEYS.tries, KEYS.dead, KEYS.dead_messages, KEYS.ids, KEYS.cancelled, KEYS.history
local expiries, dead_ids = KEYS.expiries, KEYS.dead_ids
local keys, order, waiting, seats, turns, blocked, busy = KEYS.keys, KEYS.order, KEYS.waiting, KEYS.seats, KEYS.turns, KEYS.blocked, KEYS.busy
local dedup, dedup_expiries = KEYS.dedup, KEYS.dedup_expiries
local bundles, callbacks, pending, results = KEYS.bundles, KEYS.bundles_callbacks, KEYS.bundles_pending, KEYS.bundles_results
local completed, completed_messages, work, tags, completed_tags = KEYS.completed, KEYS.completed_messages, KEYS.work, KEYS.tags, KEYS.completed_tags
--@include own_field
--@include marks
--@include held_count
--@include attributes
--@include displaced
--@include far
local far, far_chunks = KEYS.far, KEYS.far_chunks
local far_head = redis.call('HGET', KEYS.meta, 'far')
local far_parts = far_head and far_of()
if far_head and not far_parts.numbers(far_head) then
  far_head, far_parts = false, nil
end
local count = tonumber(ARGV[3])
local reply = { 'OK', stamp, '', '0', '0', '' }
local examined, bytes = 0, 0

local function problem(kind, about, what)
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = kind, about, what
end

local function has_body(uid)
  return redis.call('HEXISTS', messages, uid) == 1
end

local function is_packed(uid)
  return far_parts and far_parts.line(messages, far_head, uid)
end

local function is_living(uid)
  return has_body(uid) or redis.call('HEXISTS', held, uid) == 1 or is_packed(uid)
end

-- Goes through the fields of a hash and their values, in no order.
local function scan_hash(key, look)
  local FEW, CHUNKS = 50, 10 -- buckets of packed messages have many lines, chunks are large
  local most = key == far_chunks and CHUNKS or key == messages and far_head and FEW or count
  local found = redis.call('HSCAN', key, ARGV[2], 'COUNT', most)
  local entries = found[2]
  for i = 1, #entries, 2 do
    examined = examined + 1
    look(entries[i], entries[i + 1])
  end
  reply[3] = found[1] == '0' and '' or found[1]
end

-- Goes through a list or a sorted set in its order.
local function scan_range(command, key, look)
  local from = tonumber(ARGV[2])
  local entries = redis.call(command, key, from, from + count - 1)
  for _, entry in ipairs(entries) do
    examined = examined + 1
    look(entry)
  end
  reply[3] = #entries < count and '' or string.format('%d', from + count)
end

local function ordering_key_of(attributes)
  return attributes and string.match(attributes, ORDERING_KEY) or ''
end

-- A seat is the line or the group, a byte 0, 31 digits and the uid.
local function seat_of(member)
  local line, digits_and_uid = string.match(member, '^(.*)%z(.*)$')
  return line, digits_and_uid and string.sub(digits_and_uid, 32)
end

local function check_seat(uid, member, attributes)
  local line, seated = seat_of(member)
  if seated ~= uid then
    problem('SEAT', uid, 'its seat is that of another message: ' .. member)
  elseif not redis.call('ZSCORE', waiting, member) then
    problem('SEAT', uid, 'its seat is not among those that wait')
  elseif string.byte(line) == 111 then -- o
    local key = string.sub(line, 2)
    local row = redis.call('HGET', order, key)
    local holder = row and string.match(row, '^%S+')
    if key ~= ordering_key_of(attributes) then
      problem('SEAT', uid, 'it waits in the line of another ordering key: ' .. key)
    elseif not holder then
      problem('STRANDED', uid, 'it waits for the turn of its ordering key, which no message has: ' .. key)
    elseif string.find(' ' .. row .. ' ', ' ' .. uid .. ' ', 1, true) then
      problem('STRANDED', uid, 'it waits in the line of its ordering key, though it has the turn: ' .. key)
    elseif not is_living(holder) and not redis.call('ZSCORE', dead, holder) then
      problem('STRANDED', uid, 'it waits for a message that is gone and has the turn of its ordering key: ' .. holder)
    end
  elseif not redis.call('ZSCORE', turns, line) and not redis.call('ZSCORE', blocked, line) then
    problem('STRANDED', uid, 'it is ready in a group that neither takes turns nor is blocked: ' .. line)
  end
end

-- Packed messages, as the field of a bucket has them.
local buckets = far_head and tonumber(string.match(far_head, '^%d+ %d+ (%d+)'))
local chunks_there = {} -- by number

local function check_packed(bucket, lines)
  local uids = {}
  for uid, chunk in string.gmatch(lines, '(%S+) (%d+) %d+\n') do
    uids[#uids + 1] = uid
    if chunks_there[chunk] == nil then
      chunks_there[chunk] = redis.call('HEXISTS', far_chunks, chunk) == 1 and redis.call('ZSCORE', far, chunk) and true
    end
    if not buckets or far_parts.bucket(uid, buckets) ~= bucket then
      problem('NO_BODY', uid, 'it is packed, and is not found in ' .. bucket)
    elseif not chunks_there[chunk] then
      problem('NO_BODY', uid, 'it is packed, and its chunk is gone: ' .. chunk)
    end
  end
  for _, key in ipairs(#uids > 0 and { messages, held } or {}) do
    for n, value in ipairs(redis.call('HMGET', key, unpack(uids))) do
      if value then
        problem('TWO_STATES', uids[n], 'packed, and near or held')
      end
    end
  end
end

local function check_message(uid, body)
  if string.byte(uid) == OWN_FIELD_BYTE then
    return check_packed(uid, body)
  end
  local holder, due = redis.call('HGET', held, uid), redis.call('ZSCORE', scheduled, uid)
  local seat, is_dead = redis.call('HGET', seats, uid), redis.call('ZSCORE', dead, uid)
  local attributes = redis.call('HGET', keys, uid)
  -- A message that is sent again since Redis went back has its place in a line, and is due later.
  local lined_up_later = seat and due and string.byte(seat) == 111
  local places = {}
  for state, is_there in pairs({ ['held'] = holder, ['scheduled'] = due and not lined_up_later, ['seated'] = seat, ['dead'] = is_dead }) do
    if is_there then
      places[#places + 1] = state
    end
  end
  if #places > 1 then
    table.sort(places)
    problem('TWO_STATES', uid, table.concat(places, ', '))
  elseif #places == 0 then
    problem('UNPLACED', uid, '')
  end
  if seat then
    check_seat(uid, seat, attributes)
  end
  local ordering_key = ordering_key_of(attributes)
  if ordering_key ~= '' and holder then
    local turn = redis.call('HGET', order, ordering_key)
    if not turn then
      problem('TURN', uid, 'it is held, and no message has the turn of its ordering key: ' .. ordering_key)
    end
  end
end

local function orphan(key, uid)
  problem('ORPHAN', uid, 'an entry of the key ' .. key .. ', though its message is gone')
end

local function of_living(name)
  return function(uid)
    if not is_living(uid) then
      orphan(name, uid)
    end
  end
end

local function uid_of_field(field)
  return string.match(field, '^([^/]+)/') or field
end

local function check_cancelled()
  local uids = redis.call('SMEMBERS', cancelled)
  if #uids > count then
    problem('NOT_CHECKED', 'cancelled', 'there are ' .. #uids .. ' entries')
    return
  end
  for _, uid in ipairs(uids) do
    examined = examined + 1
    of_living('cancelled')(uid)
  end
end

-- The lanes, what each holds, and how many messages of each fairness key are held.
local function check_held()
  local entries = redis.call('HGETALL', held)
  if #entries / 2 > count then
    problem('NOT_CHECKED', 'held', 'there are ' .. #entries / 2 .. ' entries')
    return
  end
  local holds, counts, of_key = {}, {}, {}
  for i = 1, #entries, 2 do
    examined = examined + 1
    local name, entry = entries[i], entries[i + 1]
    if string.byte(name) == OWN_FIELD_BYTE then
      counts[string.sub(name, 2)] = tonumber(string.match(entry, COUNT)) or false
    else
      local lane, bodiless = string.match(entry, '^([^' .. CLAIM .. ']+)'), string.find(entry, BODILESS, 1, true)
      holds[lane or entry] = (holds[lane or entry] or 0) + 1
      if not bodiless and not has_body(name) then
        problem('NO_BODY', name, 'it is held, and has no body: ' .. entry)
      elseif bodiless and has_body(name) then
        problem('NO_BODY', name, 'it is held as one without a body, and has one: ' .. entry)
      end
      local attributes = redis.call('HGET', keys, name)
      local fairness_key = attributes and string.match(attributes, FAIRNESS_KEY) or ''
      if fairness_key ~= '' then
        of_key[fairness_key] = (of_key[fairness_key] or 0) + 1
      end
    end
  end
  for lane, n in pairs(holds) do
    if counts[lane] == nil then
      problem('LANE', lane, 'holds ' .. n .. ' messages, and is not known')
    end
  end
  for lane, n in pairs(counts) do
    if n and n ~= (holds[lane] or 0) then
      problem('LANE', lane, 'says that it holds ' .. n .. ' messages, and holds ' .. (holds[lane] or 0))
    end
    if not redis.call('ZSCORE', lanes, lane) then
      problem('LANE', lane, 'has no deadline')
    end
  end
  for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, count)) do
    if counts[lane] == nil then
      problem('LANE', lane, 'has a deadline, and is not known')
    end
  end
  local counted = redis.call('HGETALL', busy)
  for i = 1, #counted, 2 do
    local n = of_key[counted[i]] or 0
    of_key[counted[i]] = nil
    if tonumber(counted[i + 1]) ~= n then
      problem('BUSY', counted[i], 'counts ' .. counted[i + 1] .. ' held messages, and has ' .. n)
    end
  end
  for key, n in pairs(of_key) do
    problem('BUSY', key, 'counts no held messages, and has ' .. n)
  end
end

local function check_id(field, value)
  local kind, name = string.sub(field, 1, 2), string.sub(field, 3)
  if kind == 'i:' then
    if redis.call('HGET', ids, 'u:' .. value) ~= name then
      problem('ID', value, 'the id belongs to it, and is not its id: ' .. name)
    elseif not has_body(value) and not redis.call('ZSCORE', dead, value) and not is_packed(value) then
      problem('ORPHAN', value, 'has an id, though its message is gone: ' .. name)
    end
  elseif redis.call('HGET', ids, 'i:' .. value) ~= name
      and not (redis.call('ZSCORE', dead, name) and redis.call('ZSCORE', dead_ids, displaced_entry(dead, name, value))) then
    problem('ID', name, 'it is not found by its id: ' .. value)
  end
end

local function check_tag(of_uid)
  return function(member)
    local tag, uid = string.match(member, '^(.*)%z(%Z*)$')
    local known = uid and of_uid(uid) or ''
    if not string.find('\n' .. known .. '\n', '\n' .. (tag or member) .. '\n', 1, true) then
      problem('TAG', uid or member, 'it is found by a tag that it does not have: ' .. (tag or ''))
    end
  end
end

-- A dead or completed message: whether its data is there, and how large that is.
local function check_kept(kept, fields, name)
  return function(uid)
    for _, field in ipairs(fields) do
      bytes = bytes + redis.call('HSTRLEN', kept, uid .. field)
    end
    if redis.call('HEXISTS', kept, uid) == 0 then
      problem('NO_BODY', uid, 'it is ' .. name .. ', and has no body')
    elseif has_body(uid) then
      problem('TWO_STATES', uid, name .. ', and alive')
    end
  end
end

local function check_kept_field(state, key)
  return function(field, value)
    local is_id = string.sub(field, 1, 2) == 'i:'
    local uid = is_id and value or uid_of_field(field)
    if string.byte(field) ~= OWN_FIELD_BYTE and not redis.call('ZSCORE', state, uid) then
      orphan(key, uid)
    end
  end
end

local function check_dedup(field, value)
  local kind, name = string.sub(field, 1, 2), string.sub(field, 3)
  if kind == 'u:' then
    if not is_living(name) and string.sub(value, 1, 2) ~= 'f:' then
      orphan('dedup', name)
    end
  elseif kind ~= 'm:' and kind ~= 'g:' then
    local owner = string.match(value, '^%S+')
    if not redis.call('ZSCORE', dedup_expiries, field) then
      problem('KEY', field, 'a key to deduplicate by has no end')
    elseif kind ~= 'f:' and not is_living(owner) then
      problem('ORPHAN', owner, 'has a key to deduplicate by, though its message is gone: ' .. field)
    end
  end
end

-- A bundle, as bundle.lua has it: its seventh word is how many of its messages are pending.
local function check_bundle(id, text)
  local count = string.match(text, '^%S+ %S+ %S+ %S+ %S+ %S+ (%d+)')
  local there = redis.call('ZLEXCOUNT', pending, '[' .. id .. '\0', '(' .. id .. '\1')
  if tonumber(count) ~= there then
    problem('BUNDLE', id, 'says that ' .. (count or 'no') .. ' of its messages are pending, and has ' .. there)
  elseif redis.call('HEXISTS', callbacks, id) == 0 then
    problem('BUNDLE', id, 'has no callback')
  end
end

local function of_bundle(name)
  return function(member)
    local id = string.match(member, '^(.-)%z') or member
    if redis.call('HEXISTS', bundles, id) == 0 then
      problem('ORPHAN', id, 'an entry of the key ' .. name .. ', though there is no such bundle')
    end
  end
end

-- Whether messages without a place in a key are in a list: these uids, at one moment.
local function check_placed()
  for i = 4, #ARGV do
    examined = examined + 1
    local uid = ARGV[i]
    if has_body(uid) and redis.call('HEXISTS', held, uid) + redis.call('HEXISTS', seats, uid) == 0
        and not redis.call('ZSCORE', scheduled, uid) and not redis.call('LPOS', ready, uid) and not redis.call('LPOS', suspects, uid) then
      problem('STRANDED', uid, 'it is in no place from which it would be delivered')
    end
  end
end

-- The uids of a list that are to be delivered from there.
local function check_list(list)
  return function()
    scan_range('LRANGE', list, function(uid)
      if uid ~= '' and has_body(uid) then
        local other = redis.call('HEXISTS', held, uid) == 1 and 'held' or redis.call('ZSCORE', scheduled, uid) and 'scheduled'
          or redis.call('HEXISTS', seats, uid) == 1 and 'seated'
        if other then
          problem('TWO_STATES', uid, other .. ', and in the list of those that are ' .. (list == ready and 'ready' or 'suspects'))
        else
          problem('LISTED', uid, '')
        end
      end
    end)
  end
end

local function in_hash(key, look)
  return function()
    scan_hash(key, look)
  end
end

local function in_order(key, look)
  return function()
    scan_range('ZRANGE', key, look)
  end
end

local function kept_in_order(state, kept, fields, name)
  local look = in_order(state, check_kept(kept, fields, name))
  return function()
    look()
    reply[6] = (redis.call('HGET', kept, '@bytes') or '0') .. ' ' .. redis.call('ZCARD', state)
  end
end

local PARTS = {
  messages = in_hash(messages, check_message),
  ready = check_list(ready),
  suspects = check_list(suspects),
  placed = check_placed,
  held = check_held,
  scheduled = in_order(scheduled, function(uid)
    if not has_body(uid) then
      orphan('scheduled', uid)
    end
  end),
  tries = in_hash(tries, of_living('tries')),
  history = in_hash(history, of_living('history')),
  expiries = in_order(expiries, of_living('expiries')),
  cancelled = check_cancelled,
  ids = in_hash(ids, check_id),
  keys = in_hash(keys, of_living('keys')),
  order = in_hash(order, function(key, row)
    for blank, uid in string.gmatch(row, '( ?)(%S+)') do
      if blank == '' and not is_living(uid) and not redis.call('ZSCORE', dead, uid) then
        problem('TURN', uid, 'it has the turn of an ordering key, and is gone: ' .. key)
      elseif blank ~= '' and redis.call('HEXISTS', held, uid) == 0 then
        problem('TURN', uid, 'it is in the row of an ordering key, and is not held: ' .. key)
      end
    end
  end),
  seats = in_hash(seats, function(uid)
    if not has_body(uid) then
      orphan('seats', uid)
    end
    if redis.call('HLEN', seats) ~= redis.call('ZCARD', waiting) then
      problem('SEAT', '', 'there are ' .. redis.call('HLEN', seats) .. ' seats, and ' .. redis.call('ZCARD', waiting) .. ' that wait')
    end
  end),
  work = in_hash(work, function(field)
    of_living('work')(uid_of_field(field))
  end),
  tags = in_order(tags, check_tag(function(uid)
    return string.match(redis.call('HGET', keys, uid) or redis.call('HGET', dead_messages, uid .. '/keys') or '', ATTRIBUTED_TAGS)
  end)),
  completed_tags = in_order(completed_tags, check_tag(function(uid)
    return redis.call('HGET', completed_messages, uid .. '/tags')
  end)),
  dead = kept_in_order(dead, dead_messages, { '', '/cause', '/history', '/checkpoint', '/progress', '/log' }, 'dead'),
  dead_messages = in_hash(dead_messages, check_kept_field(dead, 'dead:messages')),
  completed = kept_in_order(completed, completed_messages, { '', '/result', '/progress', '/log' }, 'completed'),
  completed_messages = in_hash(completed_messages, check_kept_field(completed, 'completed:messages')),
  dedup = in_hash(dedup, check_dedup),
  far = function()
    scan_range('ZRANGE', far, function(chunk)
      local left = tonumber((far_of().left(far_chunks, chunk)))
      bytes = bytes + (left or 0)
      if redis.call('HEXISTS', far_chunks, chunk) == 0 then
        orphan('far', chunk)
      elseif not left or left < 1 then
        problem('NO_BODY', 'chunk ' .. chunk, 'it cannot be read how many messages are packed in it')
      end
    end)
    reply[6] = string.match(far_head or '0', '^%d+') .. ' ' .. redis.call('ZCARD', far)
  end,
  far_chunks = in_hash(far_chunks, function(field)
    if not redis.call('ZSCORE', far, string.match(field, '^n?(.*)$')) then
      orphan('far:chunks', field)
    end
  end),
  bundles = in_hash(bundles, check_bundle),
  bundles_callbacks = in_hash(callbacks, function(field)
    if redis.call('HEXISTS', bundles, field) == 0 then
      of_bundle('bundles:callbacks')(string.match(field, '^(.*)/[^/]*$') or field)
    end
  end),
  bundles_pending = in_order(pending, of_bundle('bundles:pending')),
  bundles_results = in_hash(results, of_bundle('bundles:results')),
}
PARTS[ARGV[1]]()
reply[4], reply[5] = string.format('%d', examined), string.format('%.0f', bytes)
return reply
