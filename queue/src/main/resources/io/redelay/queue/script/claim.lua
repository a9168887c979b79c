-- Settles the messages that a lane has finished and claims the next ones, in one trip.
--
-- I1  each message is in exactly one state; each move happens here, whole.
-- I2  nothing leaves SCHEDULED before its time by the master's clock.
-- I3  a repeated request number renews the lane, gives the messages that it still holds of that request, and claims no others; a lower
--     number changes nothing; an unknown lane claims nothing.
-- I9  a number that is ahead of the last one by more than one shows that Redis went back in time.
-- I4  a settlement counts only if the lane holds the message under that claim, and once; but an acknowledgement also if no lane holds
--     it. A message that a dead lane held becomes a suspect. A lane is given one suspect at a time and only on request;
--     if it dies with a suspect, that is counted as a crash of that message.
-- I6  every loop is bounded: by the caller (at most 1,000 wanted, 1,000 settled) or here; rows add 500 at most.
-- I7  the first write deletes, so that a full Redis lets settlements pass.
--
--@keys messages ready suspects scheduled held lanes tries dead dead:messages ids sleepers meta cancelled history past expiries
--@keys keys tags outbox order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries
--@keys completed completed:messages work completed:tags
--@keys shared:rates shared:bursts shared:held shared:line
-- messages       uid -> envelope
-- ready          list, next one first
-- suspects       list of messages whose lane died
-- scheduled      zset by due time
-- held           uid -> lane/seq, with ! behind it if held as a suspect, ? if held without a body, see resume;
--                @lane -> the record of the lane:
--                last request|how many it holds|the process of Redis|settlements it refused|uids it claimed
-- lanes          zset by lease deadline
-- tries          uid -> failures or failures/crashes, and behind them @ and the trace of the first attempt if that is known
-- dead           zset by time of death
-- dead:messages  uid -> envelope, uid/cause -> why, uid/history -> earlier attempts
-- ids            i:<id> -> uid, u:<uid> -> id
-- sleepers       zset of lanes by the time of their next claim if nothing wakes them
-- meta           longest -> what no living envelope is longer than, 4096 if missing; sweep -> where to go on in held,
--                paused -> whether nothing is to be claimed, gate -> until when nothing is, back -> until when claims wait
--                for other lanes to resume, see await_lanes, bodiless -> until when messages that are held without a body may come
--                back by a send, see resume, keyed -> whether any message has a key or a priority,
--                or handlers recorded something of it, work -> whether they did, outbox -> whether there are
--                notes in the outbox, limits -> those that are set for all instances, as in ARGV[6], far -> there if any are packed
-- cancelled      set of uids of held messages that are not to be tried again
-- history        uid -> a line of JSON an attempt
-- past           set of uids that were acknowledged while their send was missing, see resume; @deleted for some time
--                after the queue was deleted
-- expiries       zset of messages that have one, by the end of their time to live
-- keys..         only if the caller knows that the queue is keyed, has limits, or does more than acknowledge, as each key costs
-- shared:..      only of a listener with a limit that queues share
-- shared:held    key of held -> how many messages of the queue are held, and until when its lanes live
-- shared:line    lanes that wait for room under that limit, by the time since when
-- KEYS[..] behind these, the keys of queues in the same slot to which messages are sent together with acknowledgements, and
--          `recurring` if one saves the state of a recurring message
-- ARGV[1] lane            ARGV[2] request number      ARGV[3] lease, ms
-- ARGV[4] wanted; and behind a blank how many more of each ordering key, see includes/take_rows.lua
-- ARGV[5] byte limit; a blank behind it: the reply lists messages that became ready or that dead lanes held;
--         a tabulator: it shows whether no living message is left; a line feed: both
-- ARGV[6] '1' to take a suspect too, else '0'; and behind a blank the limits of the listener, if it has any, as words:
--         q=<count>/<window, ms> how many of the queue are claimed in any window, b behind it: all may come at once
--         m=<count> how many of the queue are held
--         kq=, km= the same of each fairness key; s=, sm= of all queues that share a limit. Those in meta have precedence
-- ARGV[7] when the lane claims again if it is given nothing, ms; until then it sleeps, that is, can be woken. 0: it
--         does not sleep, as does no lane that is given messages. Behind a blank, if messages failed on the lane before, when the
--         first of these is due again
-- ARGV[8] wake channel, without the instance
-- ARGV[9] what is acknowledged, as words: /number of the claim, then the uids under it, and so on
-- ARGV[10..] the other settlements, five each: what ('retry', behind it @ and the trace of the attempt or nothing, 'back', 'bury', or
--         'wait': back, and the queue waits for the delay, or
--         the fairness key if the cause is 'key'; or 'done': acknowledged, together with something else; or 'cancel': it
--         was cancelled, whether that is known here or not), uid, number of the
--         claim, delay ms (retry and back), cause (bury) or the line for the history (retry; '' nothing) or what goes
--         together with it (done; or cancel, '' nothing), see includes/complete.lua
-- reply   a list: words: OK, now, ms until something is due (0 at once, -1 nothing), uids whose settlement was refused, with -
--         before each that ended as cancelled although it was settled otherwise, @outbox if there are notes in the outbox,
--         @limit: and its name in ARGV[6] if a limit kept back messages that were wanted, @limits if limits are set in meta, @far if
--         messages are packed, @suspects
--         if the claim was to take a suspect, and took none though there are some, and, if ARGV[5] asks for it, + before each uid that became ready, ! before each that a dead lane held, and - before each of
--         those that had been cancelled, and @drained if the last living message has gone; then two a message: uid, or, if it has
--         any of these, uid, failures, crashes, ! if a suspect, > and the uid of the message after which it is to be handled, as
--         are those before it with the same word, @ and the trace of the first attempt if that is known, and * if it has a
--         checkpoint; envelope; and the checkpoint if it has one.
--         Or of words only: GONE, now: the lane is unknown; DELETED, now: the queue was deleted; STALE: a later request was seen;
--         BEHIND, now, the last request that is remembered: Redis went back in time; KEYED, now: the queue is keyed, and the
--         caller has to repeat the request with all keys. Nothing was done then.
--
-- It is sent alone for a queue that needs none of the keys from keys on, and else within send, with the parts between --@keyed and
-- --@end.
--
-- Each new string costs: Lua reads each byte of it, and a number is formatted for each call that is given one. So a value that
-- is the same in each claim is passed as a string literal.
--@include clock
--@include own_field
--@include marks
--@include lane_entry
--@include held_count
--@include returns
--@include past
--@include wake
--@include rest
--@keyed
--@include index
--@include rate
--@include send_to
--@end
local lane, seq, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
--@keyed
lane = number
--@end
local wanted, byte_limit, wants_suspect = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'
local wanted_text = ARGV[4]
--@keyed
local most_behind -- how many more of each ordering key, if any
if not wanted then
  wanted_text, most_behind = string.match(ARGV[4], '^(%d+) (%d+)$')
  wanted, most_behind = tonumber(wanted_text), tonumber(most_behind)
end
local limited = not wants_suspect and ARGV[6] ~= '0'
local limit_words = ARGV[6] -- of several words for a limit, the last one counts
if limited then
  wants_suspect = string.sub(ARGV[6], 1, 1) == '1'
end
--@end
local sleeps, channel = ARGV[7] ~= '0', ARGV[8]

local asked = string.byte(ARGV[5], -1)
local reports_moves = asked == 32 or asked == 10 -- a blank, or a line feed
local reports_drained = asked == 9 or asked == 10 -- a tabulator, or a line feed
local NOTES = '@outbox' -- among the words of the reply: there are notes in the outbox
local LIMITS = '@limits' -- there: the queue has limits that its listeners may not know of
local PACKED = '@far' -- there: messages are packed, see far
local DRAINED = '@drained' -- there, if ARGV[5] asks for it: no living message is left
local CANCELLED = '-' -- before a uid there: the message is gone, for it was cancelled while it was held
-- A function costs where it is defined, called or not: so one that is not always needed is defined in the branch that needs it.

local names = { OWN_FIELD .. lane } -- then the uids of all settlements, the acknowledged ones first
local tokens = { '' } -- their values in held if the lane holds them
local n, token = 1, nil
for word in string.gmatch(ARGV[9], '%S+') do
  if string.byte(word) == CLAIM_BYTE then
    token = lane .. word
  else
    n = n + 1
    names[n], tokens[n] = word, token
  end
end
local acknowledged = n
for i = 10, #ARGV, 5 do
  n = n + 1
  names[n], tokens[n] = ARGV[i + 1], lane .. CLAIM .. ARGV[i + 2]
end
local holders = redis.call('HMGET', KEYS.held, unpack(names))
local memory = holders[1]
if not memory then
  return { (redis.call('SISMEMBER', KEYS.past, DELETED) == 1 and 'DELETED ' or 'GONE ') .. stamp }
end
local last, count, process = string.match(memory, LAST_COUNT_PROCESS)
last, count = tonumber(last), tonumber(count)
local held_before, claimed_nothing = count, string.byte(memory, -1) == NOTHING_BROUGHT_BYTE
if seq < last then
  return { 'STALE' }
elseif seq > last + 1 then
  return { 'BEHIND ' .. stamp .. ' ' .. string.format('%d', last) }
end

local reply = { '' } -- the words, and then the messages
local taken = {} -- uids of the messages that are given
-- Whether any message has data that those of a plain queue do not have; looked up once, below.
local has_extras = true
local has_work = false -- whether handlers recorded something of any message; looked up once, below

--@include counts
--@include forget
--@include deliver

-- A repeated request ------------------------------------------------------------------------------------------------

if seq == last then
  local settings = redis.call('HMGET', KEYS.meta, 'outbox', 'work', 'limits')
  local has_notes = settings[1]
  if settings[2] and not KEYS.keys then
    return { 'KEYED ' .. stamp }
  end
  has_work = settings[2]
  local last_refused, last_claimed = string.match(memory, REFUSED_AND_BROUGHT)
  if not last_refused then
    return { 'STALE' }
  end
  redis.call('ZREM', KEYS.sleepers, '') -- deletes nothing; see I7. The lane sleeps on if it does.
  redis.call('ZADD', KEYS.lanes, 'XX', 'GT', now + lease, lane)
  if count == 0 then
    rest(KEYS.held, KEYS.lanes)
  end
  reply[1] = 'OK ' .. stamp .. ' 0 ' .. last_refused
    .. (not has_notes and '' or last_refused == '' and NOTES or ' ' .. NOTES) .. (settings[3] and ' ' .. LIMITS or '')
  local claimed, mine, marks = {}, {}, {}
  for uid, mark in string.gmatch(last_claimed, '([^ >]+)(%S*)') do
    claimed[#claimed + 1], marks[uid] = uid, mark ~= '' and mark or nil
  end
  if #claimed > 0 then
    local token = lane .. CLAIM .. ARGV[2]
    for i, holder in ipairs(redis.call('HMGET', KEYS.held, unpack(claimed))) do
      local uid = claimed[i]
      marks[uid] = holder == token .. SUSPECT and SUSPECT or marks[uid]
      if holder == token or marks[uid] == SUSPECT then
        mine[#mine + 1] = uid
      end
    end
  end
  if #mine > 0 then
    deliver(reply, taken, mine, marks, counts, has_work)
  end
  return reply
end

-- Settlements -------------------------------------------------------------------------------------------------------

local had_messages = reports_drained and redis.call('EXISTS', KEYS.messages) == 1
local refused = {}
local refused_late = {} -- uid -> whether its late acknowledgement was refused because another lane holds it
local made_suspects, finished_suspect = false, false
local failed_due -- when the first of the messages that failed on this lane just now is due again

-- Whether it is the common, quick case: only acknowledgements, of messages that the lane holds under the claims named.
local plainly = n > 1 and acknowledged == n
if plainly then
  for i = 2, n do
    if holders[i] ~= tokens[i] then
      plainly = false
      break
    end
  end
end
-- A lane whose last request claimed something does not sleep, and acknowledgements delete by themselves; see I7.
if not plainly or claimed_nothing then
  redis.call('ZREM', KEYS.sleepers, lane)
end
--@include claim_presence
local longest, paused, has_longest = 4096, false, false
local gate = nil -- until when nothing is to be claimed, if that is so
local waits_till = nil -- until when claims wait at most for other lanes to resume, for Redis may have gone back in time
local has_notes = false -- whether there are any in the outbox
local bodiless = nil -- until when messages that come back may be held without a body, if any may
local sets_limits = false -- whether limits are set for all instances
local has_packed = false -- whether messages are packed
local index -- how to deal with messages that have keys or priorities, if there are any
if has_meta then
  local settings = redis.call('HMGET', KEYS.meta, 'longest', 'paused', 'keyed', 'gate', 'outbox', 'work', 'back', 'limits', 'far',
    'bodiless')
  longest, paused, has_longest = tonumber(settings[1] or 4096) or math.huge, wanted > 0 and settings[2], settings[1]
  if (settings[3] or settings[8]) and not KEYS.keys then
    return { 'KEYED ' .. stamp }
  end
  --@keyed
  if settings[8] then
    limited, sets_limits = true, true
    limit_words = limit_words .. ' ' .. settings[8]
  end
  if settings[3] then
    index = index_of(KEYS, KEYS_AT.keys, KEYS.messages, KEYS.ready, KEYS.dead, KEYS.meta, now)
    has_work = settings[6] and index.keeps_work()
    if settings[6] and not has_work then
      redis.call('HDEL', KEYS.meta, 'work')
    end
  end
  --@end
  gate = settings[4] and tonumber(string.match(settings[4], '^%d+'))
  has_notes = settings[5]
  has_packed = settings[9]
  waits_till = settings[7] and tonumber(string.match(settings[7], '^%d+'))
  bodiless = settings[10]
  if bodiless and (tonumber(bodiless) or 0) <= now then
    redis.call('HDEL', KEYS.meta, 'bodiless')
    bodiless = nil
  end
end
if plainly then
  local released = redis.call('HDEL', KEYS.held, unpack(names, 2))
  count = count - released
  redis.call('HDEL', KEYS.messages, unpack(names, 2))
  if index or has_extras or released < n - 1 then
    local done, once = {}, {}
    for i = 2, n do
      local into = once[names[i]] and refused or done
      into[#into + 1], once[names[i]] = names[i], true
    end
    --@keyed
    if index then
      local attributes = index.attributes_of(done)
      index.released(attributes)
      index.ended(done, attributes, 'acknowledged', true)
      index.release_keys(done, true)
      if has_work then
        index.forget_work(done)
      end
    end
    --@end
    if has_extras then
      free_ids(done)
      forget(done)
    end
  end
elseif n > 1 then
  local common
  --@keyed
  common = define(index_of)
  local note, dead_of = common.note, common.dead_of
  --@end
  --@include history
  --@include kept_dead
  --@include settle
  local claim = { lane = lane, channel = channel, now = now, stamp = stamp, has_sleepers = has_sleepers, has_work = has_work,
    refused = refused, refused_late = refused_late, count = count, has_extras = has_extras, longest = longest, gate = gate,
    has_notes = has_notes }
  settle(names, tokens, holders, acknowledged, claim, index, common or { note = note, dead_of = dead_of })
  count, has_extras, longest, gate, has_notes = claim.count, claim.has_extras, claim.longest, claim.gate, claim.has_notes
  failed_due, finished_suspect = claim.failed_due, claim.finished_suspect
end
redis.call('ZADD', KEYS.lanes, now + lease, lane)

-- Dead lanes --------------------------------------------------------------------------------------------------------

-- A message that a dead lane holds and that was acknowledged late is done.
local some_hold, more_dead = false, false
local oldest = redis.call('ZRANGE', KEYS.lanes, '0', '1', 'WITHSCORES')
local moves = '' -- words for messages that became ready or that dead lanes held, if they are wanted
if tonumber(oldest[2]) <= now then
  --@include dead_lanes
  local returned, cancelled_uids
  some_hold, more_dead, made_suspects, returned, cancelled_uids =
    release_dead_lanes(now, refused, refused_late, index, has_work, has_extras)
  has_extras = has_extras or made_suspects
  if reports_moves and returned[1] then
    moves = ' !' .. table.concat(returned, ' !')
  end
  if reports_moves and cancelled_uids[1] then
    moves = moves .. ' ' .. CANCELLED .. table.concat(cancelled_uids, ' ' .. CANCELLED)
  end
  oldest = redis.call('ZRANGE', KEYS.lanes, '0', '1', 'WITHSCORES')
end

-- Claims ------------------------------------------------------------------------------------------------------------

local took_suspect, emptied, any_due = false, false, false
local key_room, key_taken -- see key_limits
--@keyed
local row_marks -- see take_rows
--@end
local suspects_wait -- until when suspects wait for their keys, if some do
local SUSPECT_WAIT_MS = 1000 -- when to look again for one whose key has as many held messages as it may
if gate then
  if gate <= now then
    redis.call('HDEL', KEYS.meta, 'gate')
    gate = nil
  end
  paused = paused or wanted > 0 and gate
end
if waits_till or string.find(process, tostring(redis), 9, true) ~= 9 then -- see process: it is not as this process has it
  --@include await_lanes
  local look_again
  process, look_again = await_lanes(lane, process, waits_till, has_sleepers, channel, now)
  if look_again then
    gate = math.max(gate or 0, look_again)
    paused = paused or wanted > 0 and gate
  end
end
local limit = { most = wanted, room = math.huge } -- see queue_limits
--@keyed
if limited and not paused then
  --@include queue_limits
  limit_claim(limit, limit_words, clock, now)
end
if limited and string.find(ARGV[6], ' sm?=') then
  --@include shared_limits
  share_limit(limit, lane, wanted > 0 and not paused, channel, clock, now)
end
--@end
-- When the first scheduled message is due, if there is one.
local event = not paused and redis.call('ZRANGE', KEYS.scheduled, '0', '0', 'WITHSCORES')[2]

if wanted > 0 and not paused then
  if event and tonumber(event) <= now then
    local due = redis.call('ZRANGEBYSCORE', KEYS.scheduled, '-inf', now, 'LIMIT', 0, math.max(100, wanted * 2))
    if index then
      index.place(due)
    else
      redis.call('RPUSH', KEYS.ready, unpack(due))
    end
    redis.call('ZREM', KEYS.scheduled, unpack(due))
    any_due = true
    if reports_moves then
      moves = moves .. ' +' .. table.concat(due, ' +')
    end
  end
  --@keyed
  if index and (limited or redis.call('EXISTS', KEYS.gates) == 1) then
    --@include key_limits
    key_room, key_taken = limit_keys(index, limit_words, wanted, clock, now)
  end
  --@end
  if wants_suspect and has_extras and limit.most > 0 then
    for _ = 1, 20 do -- an entry whose message is gone is passed over
      local uid = redis.call('LPOP', KEYS.suspects)
      if not uid then
        break
      end
      local key = key_room and index.fairness_key(uid) or ''
      local room, till = 1, nil
      --@keyed
      if key ~= '' then
        room, till = key_room(key, 1)
      end
      --@end
      if room == 0 then -- it waits behind the others
        redis.call('RPUSH', KEYS.suspects, uid)
        suspects_wait = math.min(suspects_wait or math.huge, till == '+inf' and now + SUSPECT_WAIT_MS or till)
      else
        byte_limit = byte_limit - deliver(reply, taken, { uid }, { [uid] = SUSPECT }, counts, has_work)
        if #taken > 0 then
          took_suspect = true
          --@keyed
          if key ~= '' then
            key_taken(key, 1)
          end
          --@end
          break
        end
      end
    end
    --@keyed
    if index and took_suspect then
      index.count_claimed(index.attributes_of(taken))
    end
    --@end
  end
  local by_turns = index and redis.call('EXISTS', index.turns, index.blocked) > 0
  --@keyed
  if by_turns then
    index.rejoin(wanted + 100)
    --@include take_turns
    local bytes = longest * wanted > byte_limit and { left = byte_limit, has_some = #taken > 0, has_work = has_work } or nil
    for _ = 1, 20 do -- the room that is left is divided again
      local room = limit.most - #taken
      local chosen, more = {}, false
      if room > 0 then
        chosen, more = take_turns(index, room, bytes, key_room, key_taken)
      end
      if #chosen > 0 then
        deliver(reply, taken, chosen, {}, has_extras and counts, has_work)
      end
      if not more then
        break
      end
    end
    emptied = redis.call('EXISTS', index.turns, KEYS.ready) == 0
  end
  --@end
  for _ = 1, by_turns and 0 or 10 do -- rounds: an entry whose message is gone is passed over
    local room = limit.most - #taken
    if room <= 0 or emptied then
      break
    end
    local uids
    if longest * room <= byte_limit then
      uids = redis.call('LPOP', KEYS.ready, room == wanted and wanted_text or room) or {}
      emptied = #uids < room
    else
      -- Fewer if they are longer than the byte limit together.
      uids = redis.call('LRANGE', KEYS.ready, 0, room - 1)
      emptied = #uids < room
      local left = byte_limit
      for i, uid in ipairs(uids) do
        left = left - redis.call('HSTRLEN', KEYS.messages, uid) - (has_work and redis.call('HSTRLEN', KEYS.work, uid .. '/checkpoint') or 0)
        if left < 0 and (i > 1 or #taken > 0) then
          emptied = false
          for j = #uids, i, -1 do
            uids[j] = nil
          end
          break
        end
      end
      if #uids > 0 then
        redis.call('LTRIM', KEYS.ready, #uids, -1)
      end
    end
    if #uids == 0 then
      break
    end
    byte_limit = byte_limit - deliver(reply, taken, uids, {}, has_extras and counts, has_work)
  end
  --@keyed
  if index and most_behind and #taken > 0 and not took_suspect and not limited and not key_room
      and redis.call('EXISTS', index.waiting) == 1 then
    --@include take_rows
    local MOST = 500 -- of all keys together
    local room = math.min(MOST, math.floor(byte_limit / longest) - #taken)
    row_marks = take_rows(index, taken, most_behind, room, function(uids, marks)
      deliver(reply, taken, uids, marks, has_extras and counts, has_work)
    end)
  end
  --@end
  if has_longest and emptied and redis.call('EXISTS', KEYS.messages) == 0 then
    redis.call('HDEL', KEYS.meta, 'longest')
  end
end

--@keyed
if limit.after_claim then
  limit.after_claim(#taken)
end
--@end
-- A send that does not know that Redis went back adds a message that a lane holds without a body: that lane holds it no more.
if bodiless and #taken > 0 then
  --@paste holding_less
  for _, holder in ipairs(redis.call('HMGET', KEYS.held, unpack(taken))) do
    local other = holder and string.match(holder, '^[^' .. CLAIM .. ']*')
    local entry = other and other ~= lane and redis.call('HGET', KEYS.held, OWN_FIELD .. other)
    if other == lane then
      count = count - 1
    elseif entry then
      redis.call('HSET', KEYS.held, OWN_FIELD .. other, holding_less(entry, 1))
    end
  end
end
local holdings, holding = {}, lane .. CLAIM .. ARGV[2]
for i = 1, #taken do
  holdings[2 * i - 1], holdings[2 * i] = taken[i], holding
end
if took_suspect then -- before all others
  holdings[2] = holding .. SUSPECT
end
if had_messages and redis.call('EXISTS', KEYS.messages) == 0 then
  moves = moves .. ' ' .. DRAINED
end
local refusals = table.concat(refused, ' ')
has_notes = has_notes or index and index.noted
-- The words of this request; without a blank before them.
local reply_words = refusals .. (has_notes and ' ' .. NOTES or '') .. (sets_limits and ' ' .. LIMITS or '')
  .. (has_packed and ' ' .. PACKED or '') .. moves
reply_words = string.match(reply_words, '^ ?(.*)$')
count = count + #taken
--@keyed
if row_marks then
  for i, uid in ipairs(taken) do
    taken[i] = uid .. (row_marks[uid] or '')
  end
end
--@end
holdings[#holdings + 1] = OWN_FIELD .. lane
holdings[#holdings + 1] = ARGV[2] .. '|' .. count .. '|' .. process .. '|' .. refusals .. '|' .. table.concat(taken, ' ')
redis.call('HSET', KEYS.held, unpack(holdings))
local none_held = false -- whether no lane holds anything
if count == 0 then
  --@keyed
  -- What handlers recorded of messages that are held without a body stays.
  if index and redis.call('EXISTS', KEYS.messages) == 0
      and not (has_work and redis.call('HLEN', KEYS.held) > redis.call('ZCARD', KEYS.lanes)) then
    redis.call('HDEL', KEYS.meta, 'longest')
    index.forget()
  end
  --@end
  none_held = rest(KEYS.held, KEYS.lanes, oldest[1] == lane and not oldest[3] and oldest[2] or nil)
elseif held_before == 0 then
  redis.call('PERSIST', KEYS.held)
  redis.call('PERSIST', KEYS.lanes)
end

-- What comes next ---------------------------------------------------------------------------------------------------

local ready_left = not paused and not emptied
  and (index and redis.call('EXISTS', KEYS.ready, index.turns) or redis.call('EXISTS', KEYS.ready)) > 0
local any_suspects = has_extras and redis.call('EXISTS', KEYS.suspects) == 1
local suspects_left = not paused and any_suspects
if wants_suspect and any_suspects and not took_suspect then
  local SUSPECTS = '@suspects' -- among the words of the reply: there are suspects, and the claim took none
  reply_words = (reply_words == '' and '' or reply_words .. ' ') .. SUSPECTS
end
--@keyed
if suspects_wait and not took_suspect then
  suspects_left = false
end
--@end
local held_up = #taken >= limit.room -- no lane may claim more of the queue
local at_once = some_hold or more_dead
  or wanted > 0 and not held_up and (ready_left or suspects_left and wants_suspect and not took_suspect)
if any_due and not at_once then
  event = redis.call('ZRANGE', KEYS.scheduled, 0, 0, 'WITHSCORES')[2]
end
--@keyed
if index and not paused then
  local unblocked_at = redis.call('ZRANGE', index.blocked, 0, 0, 'WITHSCORES')[2]
  if unblocked_at and unblocked_at ~= 'inf' and (not event or tonumber(unblocked_at) < tonumber(event)) then
    event = unblocked_at
  end
end
if suspects_wait and not took_suspect then
  event = math.min(event or math.huge, suspects_wait)
end
--@end
if gate then
  event = gate
  ready_left, suspects_left = false, false
--@keyed
elseif held_up then
  local LIMITED = '@limit:' -- among the words of the reply, before the limit that kept messages back, as ARGV[6] names it
  if wanted > #taken and (ready_left or suspects_left) then
    reply_words = (reply_words == '' and '' or reply_words .. ' ') .. LIMITED .. limit.name
  end
  -- A lane that makes room in held claims or wakes another one: no lane need claim again just for that.
  if ready_left or suspects_left then
    event = limit.time
  elseif event then
    event = math.max(event, limit.time or 0)
  end
  ready_left, suspects_left = false, false
--@end
end
if has_sleepers then
  -- Any sleeper can claim ready messages, but a lane that has a suspect takes no other: a lane that has finished a suspect looks
  -- for more. A lane that wants nothing passes its wake-up to another one.
  if ready_left or suspects_left and (made_suspects or took_suspect or finished_suspect or wanted == 0) then
    wake(KEYS.sleepers, channel)
  end
  if not at_once and (#taken > 0 or wanted == 0 or not sleeps) then
    wake(KEYS.sleepers, channel, now, event)
  end
end
if at_once then
  reply[1] = 'OK ' .. stamp .. ' 0 ' .. reply_words
  return reply
end
local deadline = oldest[2] -- of the other lane that dies first
if oldest[1] == lane then
  deadline = oldest[4]
end
-- No lane need claim again because of the death of a lane that holds nothing.
if deadline and not none_held and (not event or tonumber(deadline) < tonumber(event)) then
  event = deadline
end
local falls_asleep = #taken == 0 and wanted > 0 and sleeps
local sleep
if falls_asleep then
  sleep = tonumber(ARGV[7])
  if not sleep then
    local failed_before
    sleep, failed_before = string.match(ARGV[7], '^(%d+) (%d+)$')
    failed_due = math.min(failed_due or math.huge, failed_before)
  end
  if has_sleepers and failed_due and tonumber(event) == failed_due then
    local HEAD_START_MS = 100 -- how much earlier than the lane the others claim
    --@include other_instances
    if other_instance_claims(lane, failed_due, channel, now) then
      event = failed_due + HEAD_START_MS
    end
  end
end
reply[1] = 'OK ' .. stamp .. ' ' .. (event and string.format('%.0f', math.max(0, event - now)) or '-1') .. ' ' .. reply_words
if falls_asleep then
  local back = now + sleep
  if event then
    back = math.min(back, event)
  end
  if has_sleepers then
    redis.call('ZREMRANGEBYSCORE', KEYS.sleepers, '-inf', now - 60000)
  end
  redis.call('ZADD', KEYS.sleepers, back, lane)
  local latest = has_sleepers and redis.call('ZRANGE', KEYS.sleepers, '-1', '-1', 'WITHSCORES')[2] or back
  -- Where an integer is wanted, no large number is passed: Redis 7.2 writes some as 1.8e+12.
  redis.call('PEXPIREAT', KEYS.sleepers, string.format('%.0f', latest + 60000))
end
return reply
