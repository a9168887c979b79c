-- Keeps bundles of messages in the queue of their callback: opens one, adds messages to it and records which of them have ended. When
-- the last message of a bundle that is not open ends, adds the callback.
--
-- I1  a message is pending in its bundle before it is sent: in the same step it is sent, or a note to send it goes into the outbox. The
--     callback is added with the last end, in the same step.
-- I3  a repeated request number gets the same reply and changes nothing; a lower one and an unknown lane change nothing. The end of a
--     message that is not pending is not counted, so an end may be reported more than once.
-- I7  a request that opens or adds begins with a write that a full Redis refuses; any other begins with one that deletes.
-- I8  as many deaths are described as MOST_DEATHS and MOST_DEATH_BYTES allow; all are counted. As many results are kept as the
-- --     bundle has room for, MOST_RESULTS at most; those left out are counted. A request has 4 commands at most, and each 1,000 messages.
-- I9  a message that a sender repeats is added again unless it is there. Then the callback is due two seconds later, so that a
--     consumer can report that it has handled it. The end of a message that is not pending is kept for a while: the sender may repeat
--     the message after the end was reported. A result longer than LONGEST_EARLY is left out then.
-- I12 a bundle without results and without cancellation has no keys for them: its record ends with the counts.
--
--@keys sent bundles bundles:callbacks bundles:pending bundles:due outbox meta messages ready scheduled held past sleepers
--@keys known bundles:early bundles:results
-- KEYS.bundles            id -> state (open, closed, or ended if its time was over), opened at, open until,
--                            last moved at, 1 if it was opened again, how many were added and are pending, and how many ended in
--                            each way: see WAYS. Then, of a bundle that keeps results or whose rest is to be cancelled: '-', 'dead' if
--                            the first death cancels the rest, or 'cancelled'; how long a result may be, 0 if none is kept;
--                            how long all may be together; how many are kept, and how long these are; how many were left out
-- KEYS.bundles_callbacks  id -> uid of the callback, a blank and its envelope from behind the opening brace up to the payload;
--                            id/dead -> the deaths in JSON, with commas between;
--                            id/first -> the note that sends a message after the first death
-- KEYS.bundles_pending    zset of messages that have not ended: id, queue, uid/id of the message, a byte 0 between; all of score 0
-- KEYS.bundles_due        zset of bundles by when to look at them
-- KEYS.bundles_early     messages that ended and were not pending: as in KEYS.bundles_pending -> how it ended, a byte 0, its detail
-- KEYS.bundles_results   id of a bundle, a byte 0, a number from 1 -> a result in JSON
-- ARGV[1] request number     ARGV[2] how long an unused lane is remembered, ms    ARGV[3] wake channel, without the instance
-- ARGV[4] name of the queue  ARGV[5] '1' if the request is repeated because Redis went back in time, else ''
-- ARGV[6..] commands, of each: what, id of the bundle, how many arguments, the arguments:
--         'open'   for how many ms at most, uid of the callback, its envelope as in KEYS.bundles_callbacks, 'dead' if the first death cancels the
--                  rest or '-', how long a result may be or '0', how long all may be or '0', the note as in KEYS.bundles_callbacks or ''; nothing
--                  is done if the id is in use
--         'add'    three a message: queue, uid/id, the text that sends it, see includes/next_messages.lua. If the rest was
--                  cancelled, it counts as cancelled at once and is not sent, unless the request is repeated (ARGV[5])
--         'close'  it ends with its last message from now on
--         'cancel' messages that have not ended are to be cancelled
--         'end'    four a message: queue, uid/id, how it ended, its detail: the cause of death in JSON; of a handled one its
--                  result in JSON, '!' if that was left out; or ''
--         'lost'   for how many ms at least nothing moved in the bundle, else nothing is done; then two a message: queue, uid/id
--         'due'    no id; gives the bundles to be checked. Argument: how many at most
-- reply   words: OK, now, 1 if the outbox has notes of what follows or 0, then one a command: OPENED, THERE, CLOSED, CANCELLED or
--         COUNTED, ENDED if its callback was added with that; for 'add' ADDED, NOTED if a queue whose keys are named refused
--         messages, which are in the outbox, or CANCELLED if the rest of the bundle was;
--         UNKNOWN if there is no such bundle; for 'due' DUE and, each behind a comma, look:id of a bundle with pending messages,
--         over:id of one that was open for too long
--         GONE, now: the lane is unknown; DELETED, now: the queue is; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was done
local bundles, callbacks, pending, due = KEYS.bundles, KEYS.bundles_callbacks, KEYS.bundles_pending, KEYS.bundles_due
local outbox, meta, messages, ready, scheduled = KEYS.outbox, KEYS.meta, KEYS.messages, KEYS.ready, KEYS.scheduled
local held, past, sleepers, early, results = KEYS.held, KEYS.past, KEYS.sleepers, KEYS.bundles_early, KEYS.bundles_results
local channel, queue, again = ARGV[3], ARGV[4], ARGV[5] == '1'
local WAYS = { 'acknowledged', 'dead', 'cancelled', 'purged', 'expired', 'dropped', 'replaced', 'duplicate', 'unaccounted' }
local MOST_DEATHS, MOST_DEATH_BYTES = 100, 65536
local MOST_RESULTS, LEFT_OUT, LONGEST_EARLY = 10000, '!', 1000
local PAGE = 1000 -- how many fields go in one command
local HOLD_BACK_MS, UNKNOWN_MS = 2000, 10000 -- the latter if Redis does not know the consumers
local MOST_EARLY = 10000
local FIRST_LOOK_MS, LAST_LOOK_MS = 60000, 86400000
local notes = { outbox = outbox, meta = meta }
if redis.call('EXISTS', KEYS.known) == 0 then
  return 'DELETED ' .. stamp
end
if ARGV[6] == 'open' or ARGV[6] == 'add' then
  redis.call('APPEND', sent, '') -- refused by a full Redis
else
  redis.call('ZREM', due, '') -- deletes nothing
end

-- bundle_of(id): the record of a bundle; false if there is none, or if it cannot be read: then it is in `strange` and stays as it is.
local known, strange = {}, {}
local function bundle_of(id)
  if known[id] == nil then
    local text = redis.call('HGET', bundles, id)
    known[id] = false
    if text then
      local words = {}
      for word in string.gmatch(text, '%S+') do
        words[#words + 1] = word
      end
      local bundle = { id = id, state = words[1], opened = tonumber(words[2]), till = tonumber(words[3]), moved = tonumber(words[4]),
        again = words[5] == '1', added = tonumber(words[6]), pending = tonumber(words[7]), ends = {}, deaths = {} }
      for i, way in ipairs(WAYS) do
        bundle.ends[way] = tonumber(words[7 + i])
        strange[id] = strange[id] or not bundle.ends[way]
      end
      local extras = 7 + #WAYS
      bundle.rest, bundle.longest, bundle.room = words[extras + 1] or '-', tonumber(words[extras + 2] or 0), tonumber(words[extras + 3] or 0)
      bundle.kept, bundle.bytes, bundle.left_out =
        tonumber(words[extras + 4] or 0), tonumber(words[extras + 5] or 0), tonumber(words[extras + 6] or 0)
      known[id] = not strange[id] and bundle.opened and bundle.till and bundle.moved and bundle.added and bundle.pending
        and bundle.longest and bundle.room and bundle.kept and bundle.bytes and bundle.left_out and bundle
      strange[id] = not known[id]
    end
  end
  return known[id]
end

local function look_at(bundle)
  local longest_look = bundle.rest == 'cancelled' and FIRST_LOOK_MS or LAST_LOOK_MS
  local next_look = now + math.max(FIRST_LOOK_MS, math.min(longest_look, now - bundle.moved))
  return bundle.state == 'open' and math.min(next_look, bundle.till) or next_look
end

-- Adds the deaths that there is room for to the recorded ones; gives them all.
local function deaths_of(bundle)
  local text = redis.call('HGET', callbacks, bundle.id .. '/dead') or ''
  local _, count = string.gsub(text, '\n', '')
  count = text == '' and 0 or count + 1
  for _, death in ipairs(bundle.deaths) do
    if count < MOST_DEATHS and #text + #death <= MOST_DEATH_BYTES then
      text = text == '' and death or text .. ',\n' .. death
      count = count + 1
    end
  end
  return text
end

-- Gives the kept results in the order in which they came, and removes them.
local function results_of(bundle)
  local all = {}
  for first = 1, bundle.kept, PAGE do
    local fields = {}
    for n = first, math.min(first + PAGE - 1, bundle.kept) do
      fields[#fields + 1] = bundle.id .. '\0' .. n
    end
    for _, result in ipairs(redis.call('HMGET', results, unpack(fields))) do
      all[#all + 1] = result or nil
    end
    redis.call('HDEL', results, unpack(fields))
  end
  return all
end

local function keep_result(bundle, result)
  if result == LEFT_OUT or bundle.kept >= MOST_RESULTS or bundle.bytes + #result > bundle.room then
    bundle.left_out = bundle.left_out + 1
    return
  end
  bundle.kept, bundle.bytes = bundle.kept + 1, bundle.bytes + #result
  redis.call('HSET', results, bundle.id .. '\0' .. bundle.kept, result)
end

local any_ready, any_scheduled, any_follows = false, false, false

local sends = common.next_messages(notes, channel, now, stamp)

-- A text with an envelope from there on, with other headers added to those of the envelope, which has some.
local function with_headers(text, from, headers)
  local _, at = string.find(text, '"headers":{', from, true)
  return at and string.sub(text, 1, at) .. headers .. ',' .. string.sub(text, at + 1) or text
end

-- Has the messages that have not ended cancelled; see BundleCancellation.
local function cancel_rest(bundle)
  bundle.rest = 'cancelled'
  if bundle.pending > 0 then
    put_in_outbox(notes, 'c', queue .. '\0' .. bundle.id)
    any_follows = true
  end
  redis.call('ZADD', due, look_at(bundle), bundle.id)
end

-- The names in the JSON of a death, as headers.
local DEATH_HEADERS = {}
for name, header in pairs({ queue = 'originalQueue', id = 'originalId', reason = 'deathReason', exception = 'deathException',
  message = 'deathMessage' }) do
  DEATH_HEADERS[name] = '"redelay_' .. header .. '":'
end

-- What follows the first death in a bundle.
local function follow_death(bundle, death)
  local first = redis.call('HGET', callbacks, bundle.id .. '/first')
  if first then
    redis.call('HDEL', callbacks, bundle.id .. '/first')
    -- In JSON a quotation mark in a text has a backslash before it, so this finds names only.
    sends.put_note(with_headers(first, string.find(first, '\n', 1, true) or 1, (string.gsub(string.sub(death, 2, -2), '"(%l+)":', DEATH_HEADERS))))
    any_follows = true
  end
  if bundle.rest == 'dead' then
    cancel_rest(bundle)
  end
end

local function add_callback(is_repeated, uid, body)
  -- The last end may be reported by a sender that does not know that Redis went back.
  if redis.call('SISMEMBER', past, uid) == 1 or redis.call('HEXISTS', messages, uid) == 1 then
    return
  end
  redis.call('HSET', messages, uid, body)
  if #body + 128 > 4096 and #body + 128 > (tonumber(redis.call('HGET', meta, 'longest') or 0) or math.huge) then
    redis.call('HSET', meta, 'longest', #body + 128)
  end
  local holder = redis.call('HGET', held, uid)
  if holder then -- its consumer handles it, and will settle it
    redis.call('HSET', held, uid, string.match(holder, '^[^?]+'))
  elseif is_repeated then
    local hold_back = redis.call('SISMEMBER', past, LOST) == 1 and UNKNOWN_MS or HOLD_BACK_MS
    redis.call('ZADD', scheduled, now + hold_back, uid)
    any_scheduled = true
  else
    redis.call('RPUSH', ready, uid)
    any_ready = true
  end
end

-- Adds the callback of a bundle whose messages have all ended, and removes the bundle. If this version cannot read the callback, it
-- leaves the bundle to an instance that can. Gives whether the callback was added.
local function end_bundle(bundle)
  local summary = { '"queue":"' .. queue .. '"', '"id":"' .. bundle.id .. '"',
    '"openedAtMillis":' .. string.format('%.0f', bundle.opened), '"endedAtMillis":' .. stamp,
    '"timedOut":' .. (bundle.state == 'ended' and 'true' or 'false'), '"total":' .. string.format('%d', bundle.added) }
  for _, way in ipairs(WAYS) do
    summary[#summary + 1] = '"' .. way .. '":' .. string.format('%d', bundle.ends[way])
  end
  summary[#summary + 1] = '"deaths":[' .. deaths_of(bundle) .. ']'
  local uid, envelope = string.match(redis.call('HGET', callbacks, bundle.id) or '', '^(%S+) (.*)$')
  if not uid then
    return false
  end
  if bundle.longest > 0 then
    summary[#summary + 1] = '"results":{"kept":[' .. table.concat(results_of(bundle), ',') .. '],"leftOut":'
      .. string.format('%d', bundle.left_out) .. '}'
  end
  add_callback(again or bundle.again, uid, '{"sentAt":' .. stamp .. ',' .. envelope .. '{' .. table.concat(summary, ',') .. '}}')
  redis.call('HDEL', bundles, bundle.id)
  redis.call('HDEL', callbacks, bundle.id, bundle.id .. '/dead', bundle.id .. '/first')
  redis.call('ZREM', due, bundle.id)
  known[bundle.id] = false
  return true
end

-- Finishes a bundle if its last message has ended. Gives the word for the reply.
local function moved(bundle, word)
  bundle.changed = true
  if bundle.state ~= 'open' and bundle.pending == 0 and end_bundle(bundle) then
    return 'ENDED'
  end
  return word
end

local function count(bundle, given_way, detail)
  local way = bundle.ends[given_way] and given_way or 'unaccounted'
  bundle.ends[way], bundle.moved = bundle.ends[way] + 1, now
  if way == 'acknowledged' and detail ~= '' and bundle.longest > 0 then
    keep_result(bundle, detail)
  elseif way ~= 'acknowledged' and detail ~= '' then
    bundle.deaths[#bundle.deaths + 1] = detail
  end
  if way == 'dead' and bundle.ends.dead == 1 then
    follow_death(bundle, detail)
  end
end

-- Removes those of the members that are pending. Gives which were, by their places.
local function ends(bundle, members)
  local were, gone = {}, {}
  for n, score in ipairs(#members > 0 and redis.call('ZMSCORE', pending, unpack(members)) or {}) do
    were[n] = score and not were[members[n]]
    if were[n] then
      were[members[n]], gone[#gone + 1] = true, members[n]
    end
  end
  call_all('ZREM', pending, gone)
  bundle.pending = bundle.pending - #gone
  return were
end

local function members_of(id, from, to, step)
  local members = {}
  for i = from, to, step do
    members[#members + 1] = id .. '\0' .. ARGV[i] .. '\0' .. ARGV[i + 1]
  end
  return members
end

local function keep_early(member, way, detail)
  if redis.call('HLEN', early) < MOST_EARLY then
    local kept = way == 'acknowledged' and #detail > LONGEST_EARLY and LEFT_OUT or detail
    redis.call('HSET', early, member, way .. '\0' .. kept)
    redis.call('PEXPIRE', early, PAST_MS)
  end
end

-- Counts a message that is added again if its end was reported before.
local function has_ended(bundle, member)
  local early_end = again and redis.call('HGET', early, member)
  if early_end then
    redis.call('HDEL', early, member)
    bundle.added = bundle.added + 1
    local way, detail = string.match(early_end, '^(%l+)%z(.*)$')
    count(bundle, way or '', detail or '')
  end
  return early_end
end

local function open(id, from)
  if bundle_of(id) or strange[id] then
    return 'THERE'
  end
  local bundle = { id = id, state = 'open', opened = now, till = now + tonumber(ARGV[from]), moved = now, again = again, added = 0,
    pending = 0, ends = {}, deaths = {}, changed = true, rest = ARGV[from + 3], longest = tonumber(ARGV[from + 4]),
    room = tonumber(ARGV[from + 5]), kept = 0, bytes = 0, left_out = 0 }
  for _, way in ipairs(WAYS) do
    bundle.ends[way] = 0
  end
  known[id] = bundle
  redis.call('HSET', callbacks, id, ARGV[from + 1] .. ' ' .. ARGV[from + 2])
  if ARGV[from + 6] ~= '' then
    redis.call('HSET', callbacks, id .. '/first', ARGV[from + 6])
  end
  redis.call('ZADD', due, look_at(bundle), id)
  return 'OPENED'
end

local function add(id, from, to, bundle)
  local function has_result(envelope)
    return with_headers(envelope, 1, '"redelay_bundleResult":' .. string.format('%d', bundle.longest))
  end
  local members, added = members_of(id, from, to, 3), {}
  sends.refused = false
  local known = #members > 0 and redis.call('ZMSCORE', pending, unpack(members)) or {}
  for n, member in ipairs(members) do
    if bundle.rest == 'cancelled' and not again then
      bundle.added = bundle.added + 1
      count(bundle, 'cancelled', '')
    elseif not has_ended(bundle, member) and not known[n] and not added[member] then
      added[member], added[#added + 1], added[#added + 2] = true, '0', member
      sends.add(ARGV[from + 3 * n - 1], 1, nil, bundle.longest > 0 and has_result)
    end
  end
  call_all('ZADD', pending, added)
  bundle.added, bundle.pending = bundle.added + #added / 2, bundle.pending + #added / 2
  sends.send()
  if bundle.rest == 'cancelled' and again then
    cancel_rest(bundle)
  end
  bundle.moved, bundle.changed = now, true
  return bundle.rest == 'cancelled' and 'CANCELLED' or sends.refused and 'NOTED' or 'ADDED'
end

local function cancel(_, _, _, bundle)
  if bundle.rest ~= 'cancelled' then
    cancel_rest(bundle)
  end
  bundle.changed = true
  return 'CANCELLED'
end

local function close(_, _, _, bundle)
  bundle.state = bundle.state == 'open' and 'closed' or bundle.state
  return moved(bundle, 'CLOSED')
end

local function count_ends(id, from, to, bundle)
  local members = members_of(id, from, to, 4)
  local were = bundle and ends(bundle, members) or {}
  for n, member in ipairs(members) do
    local i = from + 4 * n - 2
    if were[n] then
      count(bundle, ARGV[i], ARGV[i + 1])
    else
      keep_early(member, ARGV[i], ARGV[i + 1])
    end
  end
  return bundle and moved(bundle, 'COUNTED') or 'UNKNOWN'
end

local function count_lost(id, from, to, bundle)
  if now - bundle.moved < tonumber(ARGV[from]) then
    return 'COUNTED'
  end
  for _, was in ipairs(ends(bundle, members_of(id, from + 1, to, 2))) do
    if was then
      count(bundle, 'unaccounted', '')
    end
  end
  return moved(bundle, 'COUNTED')
end

local function look_at_due(_, from)
  local words = { 'DUE' }
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, tonumber(ARGV[from]))) do
    local bundle = bundle_of(id)
    if strange[id] then
      redis.call('ZADD', due, now + LAST_LOOK_MS, id)
    elseif not bundle then
      redis.call('ZREM', due, id)
    else
      if bundle.state == 'open' and bundle.till <= now then
        bundle.state = 'ended'
        words[#words + 1] = 'over:' .. id
      end
      if bundle.pending > 0 then
        words[#words + 1] = 'look:' .. id
      end
      redis.call('ZADD', due, look_at(bundle), id)
      moved(bundle)
    end
  end
  return table.concat(words, ',')
end

local commands = { open = open, ['end'] = count_ends, due = look_at_due }
local of_known = { add = add, close = close, cancel = cancel, lost = count_lost } -- nothing without the bundle
local words = { 'OK', stamp, '0' }
local at = 6
while at <= #ARGV do
  local from = at + 3
  local to = from + tonumber(ARGV[at + 2]) - 1
  local verb, bundle = ARGV[at], bundle_of(ARGV[at + 1])
  local command = commands[verb] or bundle and of_known[verb]
  words[#words + 1] = command and command(ARGV[at + 1], from, to, bundle) or 'UNKNOWN'
  at = to + 1
end
for id, bundle in pairs(known) do
  if bundle and bundle.changed then
    local record = { bundle.state, string.format('%.0f', bundle.opened), string.format('%.0f', bundle.till),
      string.format('%.0f', bundle.moved), bundle.again and '1' or '0', string.format('%d', bundle.added),
      string.format('%d', bundle.pending) }
    for _, way in ipairs(WAYS) do
      record[#record + 1] = string.format('%d', bundle.ends[way])
    end
    if bundle.rest ~= '-' or bundle.longest > 0 then
      record[#record + 1] = bundle.rest
      for _, extra in ipairs({ bundle.longest, bundle.room, bundle.kept, bundle.bytes, bundle.left_out }) do
        record[#record + 1] = string.format('%d', extra)
      end
    end
    redis.call('HSET', bundles, id, table.concat(record, ' '))
    if #bundle.deaths > 0 then
      redis.call('HSET', callbacks, id .. '/dead', deaths_of(bundle))
    end
  end
end
words[3] = (any_follows or notes.noted) and '1' or '0'
reply = table.concat(words, ' ')
finish = function()
  if any_ready or any_follows then -- a lane that is woken relays the notes
    wake(sleepers, channel)
  end
  if any_scheduled then
    wake(sleepers, channel, now, redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2])
  end
end
