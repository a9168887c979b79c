-- Steers single messages, each independently: cancels, reschedules, changes, buries, deletes and redrives them, and forwards dead ones
-- to another queue. Sets and removes the flags of the queue.
--
-- I1  each message is in exactly one state; each move happens here, whole. The script also checks that a message is still in a state
--     that the caller expects: a job that cancels living messages must not remove one that has died since the job read it.
-- I2  nothing is delivered before its time by the master's clock.
-- I3  a repeated request number gets the same reply and changes nothing; a lower one and an unknown lane change nothing.
-- I7  the first write deletes: a full Redis lets messages be cancelled.
-- I8  the bytes of bodies and of handlers' records that it reads and rewrites are bounded: the caller repeats the operations that are
--     left then.
--     A message that leaves a short list before its turn leaves no entry there. A long list may have as many stale entries as there
--     are waiting messages, or 1,000, before it is tidied.
-- The cancellation of a held message is published to its instance on the wake channel. A PUBLISH that is denied must not fail the
-- caller: a renewal of the lane asks for cancelled messages as well.
-- A message that leaves the ready list before its turn, or is redriven, gets a new uid, so that neither a stale
-- entry of a list nor a late acknowledgement can touch it. It keeps its id; if it has none, the old uid becomes its id.
-- The new uid of a tick has the same end, by which it is recognised.
--
--@keys sent messages ready scheduled held tries
--@keys dead dead:messages ids sleepers cancelled history meta suspects lanes dead:ids expiries
--@keys keys tags outbox order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries
--@keys completed completed:messages work completed:tags past far far:chunks
-- sent:<lane>    the lane's last request number and its results
-- dead:messages  also uid/to -> the queue it is being forwarded to
-- cancelled      uids of held messages that are not to be tried again
-- history        uid -> a line of JSON an attempt
-- meta           where the flags and limits are
-- dead:ids       finds dead messages whose ids other messages have taken
-- expiries       messages that have one by the end of their time to live
-- far..          packed messages; see includes/far.lua
-- ARGV[1] request number    ARGV[2] how long an unused lane is remembered, ms    ARGV[3] wake channel
-- ARGV[4] byte limit, which the last body may exceed
-- ARGV[5..] five an operation: what, the message's id or uid, an argument, a uid that was never used, the states in which the message
--           may be with a blank between each two, or '' for any: in another one it stays as it is
--           'cancel'    a held message is not tried again and not kept among the dead, and its holder is notified; a dead or
--                       completed one is removed. Argument: '', or the beginning of the membership that the message must have in a
--                       bundle: another message stays as it is. If Redis does not have the message, a later send of it adds
--                       nothing, such as that of a sender after Redis went back, and a note for its bundle says that it ended
--           'schedule'  argument: when, as for a send; a held or dead message stays as it is
--           'run'       next, before all others; a held or dead message stays as it is
--           'redrive'   argument: when, as for a send, and / and how long the line of an ordering key may be, unless that is set in
--                       meta; only a dead message whose id no other one has; without its deadline. Its rounds are counted anew
--           'round'     the same at once, as a round of the queue's rule; argument: the number of the round, which must be the one
--                       after the last round of the message
--           'forward'   argument: a queue; marks a dead message as being forwarded to it. Nothing else changes it then. The first
--                       of several callers gets 'DONE', the others 'FORWARDING'
--           'forwarded' removes a marked message
--           'flag'      in place of the id: 'paused' nothing is claimed, 'closed' nothing is sent; argument: '1' to set it
--           'gate'      in place of the id: '' for the queue, or a fairness key; argument: for how many ms nothing of it is
--                       claimed, '0' to remove the gate
--           'limits'    in place of the id: the display name of the instance that asks for it; argument: see includes/set_limits.
--                       'DONE' if that changes anything, else 'KEPT'
--           'free'      in place of the id: a key to deduplicate by, which no message has then. Payloads that have gathered by it
--                       stay in their message, which gathers no more. 'DONE' if a message had it, else 'KEPT'
--           'expire'    argument: why, or '' to keep nothing of it; a waiting message whose time to live or deadline is over
--           'bury'      argument: why; a waiting message is dead from now on; a held one stays as it is
--           'delete'    a waiting, dead or completed message is removed; a held one stays as it is
--           'change'    argument: see change(); a waiting message gets another envelope, count of failures or priority; a held or dead
--                       one stays as it is. A ready one goes behind all others of its new priority, under a new uid, but keeps
--                       its place in the line of an ordering key, and among the suspects
-- reply   words: OK, now, 1 if the lists are to be tidied, 2 if the last living message has gone, or 0, then three an operation:
--         the state found;
--         DONE, KEPT, DUPLICATE, FORWARDING, OVERDUE if it would be due when its deadline is over, CHANGED if it differs from what
--         'change' expects, or FULL if the line of its ordering key is as long as it may be;
--         when it is due, or if OVERDUE its deadline, or > and the queue that it is being forwarded to, or -.
--         Or of an operation that the caller has to repeat, and of all behind it: UNKNOWN, LATER, -; or in place of - @ and the
--         number of the chunk in which the message is packed, if the operation needs its envelope: see thaw
--         GONE, now: the lane is unknown; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was done
--
-- It is sent within send, and has purge and trim-dead within it.
local messages, ready, scheduled, held, tries = KEYS.messages, KEYS.ready, KEYS.scheduled, KEYS.held, KEYS.tries
local dead, dead_messages, ids, sleepers = KEYS.dead, KEYS.dead_messages, KEYS.ids, KEYS.sleepers
local cancelled, history, meta, suspects, lanes = KEYS.cancelled, KEYS.history, KEYS.meta, KEYS.suspects, KEYS.lanes
local dead_ids, expiries, dedup, dedup_expiries = KEYS.dead_ids, KEYS.expiries, KEYS.dedup, KEYS.dedup_expiries
local completed, completed_messages, completed_tags = KEYS.completed, KEYS.completed_messages, KEYS.completed_tags
local past, channel = KEYS.past, ARGV[3]
local index = index_of(KEYS, KEYS_AT.keys, messages, ready, dead, meta, now)
index.scheduled, index.tries, index.history, index.expiries = scheduled, tries, history, expiries
local kept_dead = common.dead_of(dead, dead_messages, now)
local completed_kept = common.completed_of(completed, completed_messages, completed_tags, now)
--@include forget_emptied

local any_ready, any_scheduled = false, false
local words = { 'OK', stamp, '0' }
if script == 'purge' then
  --@script purge
elseif script == 'trim-dead' then
  --@script trim-dead
else
  --@include state
  --@include was_held
  --@include completed_names
  --@include rounds
  local CANCELLATION = '!' -- before the name of a lane in a published text: a message that it holds was cancelled
  local bytes_left = tonumber(ARGV[4])
  redis.call('ZREM', sleepers, '') -- deletes nothing

  local any_removed = false
  local left = {} -- uids that have left one of the lists before their turn
  local longest = 0 -- of the envelopes of redriven and changed messages, bytes

  local function put(uid, due, first)
    local holder = redis.call('HGET', held, uid)
    if holder then -- Redis went back in time, and a lane that was given it by this command has taken it over without a body
      local lane = OWN_FIELD .. string.match(holder, '^[^' .. CLAIM .. ']*')
      local entry = redis.call('HGET', held, lane)
      redis.call('HDEL', held, uid)
      if entry then
        redis.call('HSET', held, lane, holding_less(entry, 1))
      end
    end
    if due > now then
      redis.call('ZADD', scheduled, due, uid)
      any_scheduled = true
    else
      any_ready = index.place({ uid }, first) > 0 or any_ready
    end
  end

  -- Gives the envelope with another due time, unless that is nil, and with an id if one is given. The store wrote its beginning itself.
  local function stamped(body, due, id)
    bytes_left = bytes_left - #body
    local sent_at, after = string.match(body, '^{"sentAt":(%d+),(.*)$')
    if not sent_at then
      return body
    end
    local due_at, rest = string.match(after, '^"dueAt":(%d+),(.*)$')
    due_at = due and string.format('%.0f', due) or due_at
    return '{"sentAt":' .. sent_at .. ',' .. (due_at and '"dueAt":' .. due_at .. ',' or '')
      .. (id and '"id":"' .. id .. '",' or '') .. (rest or after)
  end

  -- Counts the bytes of what handlers recorded of a message, which is rewritten with it.
  local function count_recorded(recorded)
    for _, record in pairs(recorded or {}) do
      bytes_left = bytes_left - #(record or '')
    end
  end

  -- Gives a message its new uid in all but the place where it waits.
  local function move_to_uid(uid, fresh, body, due)
    local id = redis.call('HGET', ids, 'u:' .. uid)
    redis.call('HDEL', ids, 'u:' .. uid)
    redis.call('HSET', messages, fresh, stamped(body, due, not id and uid or nil))
    redis.call('HSET', ids, 'i:' .. (id or uid), fresh, 'u:' .. fresh, id or uid)
  end

  local function move(key, uid, fresh)
    local value = redis.call('HGET', key, uid)
    if value then
      redis.call('HSET', key, fresh, value)
    end
  end

  -- Cancels or removes a message. how: the way in which it ended, for its bundle. chunk: where it is packed, if it is.
  local function cancel(uid, state, how, chunk)
    if state == 'IN_FLIGHT' then
      redis.call('SADD', cancelled, uid)
      local holder, instance = string.match(redis.call('HGET', held, uid), '^(([^.]+).-)' .. CLAIM)
      if holder then
        redis.pcall('PUBLISH', channel .. instance, CANCELLATION .. holder .. ' ' .. uid)
      end
    elseif state == 'DEAD' then
      common.forget_dead(kept_dead, index, ids, dead_ids, uid)
      common.free_id(ids, uid)
    elseif state == 'COMPLETED' then
      completed_kept.forget({ uid })
    else
      any_removed = true
      if chunk then
        common.remove_far(messages, meta, KEYS.far, KEYS.far_chunks, uid)
      elseif redis.call('ZREM', scheduled, uid) == 0 then
        left[#left + 1] = uid
      end
      index.release_keys({ uid }, false)
      common.forget_living(index, uid)
      common.free_id(ids, uid)
      index.ended({ uid }, index.attributes_of({ uid }), how)
    end
  end

  -- Counts the time to live from another due time.
  local function renew_expiry(uid, body, due)
    local ends = expiry(body, due)
    if ends then
      redis.call('ZADD', expiries, ends, uid)
      index.has_expiries = true
    end
  end

  -- Re-adds a message that leaves its list before its turn under its new uid, with these attributes from now on.
  local function re_add(uid, fresh, body, due, attributes)
    move_to_uid(uid, fresh, body, due)
    move(tries, uid, fresh)
    move(history, uid, fresh)
    local recorded = index.work_of(uid)
    count_recorded(recorded)
    if recorded then
      index.keep_work(fresh, recorded)
    end
    index.move_key(uid, fresh)
    left[#left + 1] = uid
    common.forget_living(index, uid)
    local former = redis.call('HGET', index.keys, uid)
    if attributes then
      local key = index.traits(attributes).ordering_key
      redis.call('HSET', index.keys, fresh, attributes)
      index.tag({ fresh, attributes })
      local has_turn, behind = index.has_turn(key, uid)
      if (due or now) <= now and has_turn then
        redis.call('HSET', index.order, key, fresh .. behind)
      end
    end
    if former then
      index.ended({ uid }, { former })
    end
  end

  -- The new uid of a message; that of a tick keeps its end.
  local function fresh_uid(uid, fresh)
    return string.sub(uid, -5) == '.tick' and fresh .. '.tick' or fresh
  end

  -- Reschedules a message. If it would be due when its deadline is over, changes nothing and gives the deadline.
  local function schedule(uid, fresh, state, due, first)
    fresh = fresh_uid(uid, fresh)
    local body = redis.call('HGET', messages, uid)
    local deadline = deadline_of(body)
    if deadline and due >= deadline then
      return deadline
    end
    renew_expiry(redis.call('ZSCORE', scheduled, uid) and uid or fresh, body, due)
    local due_before = redis.call('ZSCORE', scheduled, uid)
    if due_before then
      if was_held(body, due_before) then
        redis.call('HSETNX', tries, uid, '0') -- so that it is not packed, see packable
      end
      redis.call('ZREM', scheduled, uid)
      redis.call('HSET', messages, uid, stamped(body, due))
      put(uid, due, first)
      return
    end
    re_add(uid, fresh, body, due, redis.call('HGET', index.keys, uid))
    put(fresh, due, first)
  end

  -- The envelope with another number of rounds, none if that is 0; the same envelope if its rounds cannot be counted.
  local function with_rounds(body, rounds)
    local _, at = rounds_of(body)
    if not at then
      return body
    end
    local rest = string.match(body, '^"redriven":%d+,()', at) or at
    return string.sub(body, 1, at - 1) .. (rounds > 0 and string.format('"redriven":%d,', rounds) or '') .. string.sub(body, rest)
  end

  -- Redrives a dead message. line: how long the line of an ordering key may be unless meta says so, or ''. round: the number of the
  -- round that begins, or 0 if it is redriven by hand. Gives the outcome.
  local function redrive(uid, fresh, due, line, round)
    local id = redis.call('HGET', ids, 'u:' .. uid)
    local owner = id and redis.call('HGET', ids, 'i:' .. id)
    if owner and owner ~= uid and (redis.call('HEXISTS', messages, owner) == 1 or far_place(owner)) then
      return 'DUPLICATE'
    end
    local dead_as = redis.call('HMGET', dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/keys',
      uid .. '/checkpoint', uid .. '/progress', uid .. '/log')
    if not dead_as[1] then
      return 'DUPLICATE'
    end
    local attributes = dead_as[4]
    if attributes then
      local key = index.traits(attributes).ordering_key
      local has_turn, behind = index.has_turn(key, uid)
      if key ~= '' and due <= now and not has_turn then
        line = tonumber(string.match(redis.call('HGET', meta, 'line') or line or '', '^%d+'))
        if line and common.line_length(index, key) >= line then
          return 'FULL'
        end
      end
      if has_turn then
        redis.call('HSET', index.order, key, fresh .. behind)
      end
      redis.call('HSET', index.keys, fresh, attributes)
      index.tag({ fresh, attributes })
      redis.call('HSET', meta, 'keyed', '1')
    end
    local recorded = { ['/checkpoint'] = dead_as[5], ['/progress'] = dead_as[6], ['/log'] = dead_as[7] }
    if dead_as[5] or dead_as[6] or dead_as[7] then
      index.keep_work(fresh, recorded)
    end
    count_recorded(recorded)
    common.forget_dead(kept_dead, index, ids, dead_ids, uid)
    if owner and owner ~= uid then
      displace(dead, dead_ids, owner, id)
    end
    local body = with_rounds(without_deadline(dead_as[1]), round)
    move_to_uid(uid, fresh, body, due)
    renew_expiry(fresh, body, due)
    -- When it is due, and an id, are added now; and 128 bytes as for a send.
    longest = math.max(longest, #body + #(recorded['/checkpoint'] or '') + 256)
    if dead_as[3] then
      redis.call('HSET', history, fresh, dead_as[3])
    end
    common.note(history, fresh, dead_as[2] or '')
    put(fresh, due, false)
    return 'DONE'
  end

  -- The attributes of a message with another priority. former: the one that it had. ageing: what a level is worth where priorities
  -- age, '-' if that is not known. Gives nil if they cannot be computed.
  local function with_priority(attributes, priority, former, ageing)
    local first, level, head_start, last = string.match(attributes, '^(%Z*%z%Z*%z%d+%z)([%da])%z(%d*)(%z.*)$')
    if not first then
      return nil
    elseif level ~= 'a' then
      return first .. 9 - priority .. '\0' .. last
    end
    ageing = tonumber(ageing) or tonumber(former) > 0 and head_start / former
    return ageing and first .. 'a\0' .. string.format('%.0f', ageing * priority) .. last
  end

  -- Changes a waiting message. argument, with a blank between each two: the SHA-1 of the envelope as it was found; the failures and
  -- crashes counted then, with / between them; the failures to count, or '-' to leave them; the priority, or '-'; the one it had; what a
  -- level is worth where priorities age, in ms, or '-'; the envelope without its times, or '' to leave it. Gives the outcome.
  local PLAIN_ATTRIBUTES = '\0\0001\0005\0\0'
  local function change(uid, fresh, state, argument)
    local digest, failures_then, crashes_then, failures, priority, former, ageing, envelope =
      string.match(argument, '^(%x+) (%d+)/(%d+) (%S+) (%S+) (%S+) (%S+) (.*)$')
    local body, entry = redis.call('HGET', messages, uid), redis.call('HGET', tries, uid)
    local failed, crashed, trace = counts(entry)
    bytes_left = bytes_left - #body - #envelope
    if redis.sha1hex(body) ~= digest or failed ~= tonumber(failures_then) or (crashed or 0) ~= tonumber(crashes_then) then
      return 'CHANGED'
    end
    local attributes = redis.call('HGET', index.keys, uid)
    local fitting = attributes
    if priority ~= '-' then
      fitting = with_priority(attributes or PLAIN_ATTRIBUTES, priority, former, ageing)
      if not fitting then
        return 'KEPT'
      elseif not attributes and fitting == PLAIN_ATTRIBUTES then
        fitting = false
      end
    end
    if failures ~= '-' then
      if failures == '0' and not crashed and trace == '' and not (entry and state == 'SCHEDULED') then -- see schedule
        redis.call('HDEL', tries, uid)
      else
        redis.call('HSET', tries, uid, failures .. (crashed and '/' .. crashed or '') .. trace)
      end
    end
    if envelope ~= '' then
      local due_at = string.match(body, '^{"sentAt":%d+,("dueAt":%d+,)') or ''
      body = string.match(body, '^{"sentAt":%d+,') .. due_at .. string.sub(envelope, 2)
      local recorded = index.work_of(uid)
      longest = math.max(longest, #body + #(recorded and recorded['/checkpoint'] or '') + 256)
    end
    local moves = fitting ~= attributes
    if moves then
      redis.call('HSET', meta, 'keyed', '1')
      local seat = redis.call('HGET', index.seats, uid)
      moves = state == 'READY' and not redis.call('ZSCORE', scheduled, uid) and string.sub(seat or '', 1, 1) ~= 'o'
        and (seat or not redis.call('LPOS', suspects, uid, 'MAXLEN', 1000))
    end
    if moves then
      fresh = fresh_uid(uid, fresh)
      local ends = redis.call('ZSCORE', expiries, uid)
      if ends then
        redis.call('ZADD', expiries, ends, fresh)
      end
      re_add(uid, fresh, body, nil, fitting)
      put(fresh, now, false)
      return 'DONE'
    end
    redis.call('HSET', messages, uid, body)
    if fitting then
      redis.call('HSET', index.keys, uid, fitting)
    end
    return 'DONE'
  end

  -- Buries a waiting message with a cause, or removes it if that is ''.
  local function bury(uid, cause)
    if redis.call('ZREM', scheduled, uid) == 0 then
      left[#left + 1] = uid
    end
    any_removed = true
    if cause ~= '' then
      local body = redis.call('HGET', messages, uid)
      bytes_left = bytes_left - #body
      local recorded = index.work_of(uid)
      count_recorded(recorded)
      kept_dead.keep(uid, body, cause, redis.call('HGET', history, uid), recorded)
      index.buried({ uid }, index.attributes_of({ uid }), dead_messages)
    else
      common.free_id(ids, uid)
      index.ended({ uid }, index.attributes_of({ uid }), 'expired')
    end
    index.release_keys({ uid }, false)
    common.forget_living(index, uid)
  end

  -- Whether the membership of a message in a bundle begins so; see includes/attributes.lua.
  index.is_member = function(uid, beginning)
    local _, membership = string.match(index.attributes_of({ uid })[1] or '', index.MEMBERSHIP)
    return membership and string.sub(membership, 1, #beginning) == beginning
  end

  -- Keeps a message of a bundle that Redis does not have from being sent again. name: its id, or its uid if it has none.
  index.block_resend = function(beginning, name)
    local uid = string.match(beginning, '([^/]+)/$')
    redis.call('SADD', past, uid)
    redis.call('PEXPIRE', past, PAST_MS)
    index.note_end(PLAIN_ATTRIBUTES .. '\0\0' .. beginning .. (name == uid and '' or name), 'cancelled', '')
  end

  local function answer(state, outcome, detail)
    local n = #words
    words[n + 1], words[n + 2], words[n + 3] = state, outcome, detail or '-'
  end

  -- Wakes up to a hundred sleeping lanes, for there may be much to claim now.
  local function wake_all()
    for _ = 1, math.min(100, redis.call('ZCARD', sleepers)) do
      wake(sleepers, channel)
    end
  end

  -- Gives whether it was not so before.
  local function flag(name, is_set)
    if is_set then
      return redis.call('HSET', meta, name, '1') == 1
    end
    local was_set = redis.call('HDEL', meta, name) == 1
    wake_all()
    return was_set
  end

  local function gate(key, ms)
    local till = now + 1 + ms
    if ms == 0 then
      if key == '' then
        redis.call('HDEL', meta, 'gate')
      else
        redis.call('ZREM', KEYS.gates, key)
        index.unblock({ key }, true)
      end
      wake_all()
      return
    end
    if key == '' then
      redis.call('HSET', meta, 'gate', string.format('%.0f', till))
    else
      common.close_key(KEYS.gates, key, till, now)
      index.unblock({ key }, true) -- it may be blocked for longer than that; the next claim finds the gate
    end
    wake(sleepers, channel, now, till)
  end

  -- Frees a key to deduplicate by, in all three modes. A message that gathers payloads keeps its entry for the key.
  local function free_key(key)
    local names, held_by, found = {}, {}, false
    for n, way in ipairs({ 'f:', 'd:', 'a:' }) do
      local name = way .. key
      local ends = redis.call('ZSCORE', dedup_expiries, name)
      names[n], held_by[n] = name, index.owner_of(redis.call('HGET', dedup, name))
      found = found or held_by[n] and ends and (ends == 'inf' or tonumber(ends) > now)
    end
    for n, name in ipairs(names) do
      if held_by[n] then
        redis.call('HDEL', dedup, name)
        if string.byte(name) ~= index.GATHERS_BYTE then
          redis.call('HDEL', dedup, 'u:' .. held_by[n])
        end
      end
      redis.call('ZREM', dedup_expiries, name)
    end
    index.expire_dedup()
    return found
  end

  local READS = { schedule = true, run = true, expire = true, bury = true, change = true } -- those that need an envelope
  local MESSAGELESS = { flag = true, gate = true, limits = true, free = true } -- those in place of whose id stands something else
  for i = 5, #ARGV, 5 do
    local what, argument, fresh, states = ARGV[i], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
    local uid = uid_of(ids, dead_ids, ARGV[i + 1])
    if what == 'cancel' or what == 'delete' then
      uid = named_or_completed(uid, ARGV[i + 1])
    end
    local is_later = bytes_left <= 0
    local state, due_before, chunk = 'UNKNOWN', nil, nil
    if not MESSAGELESS[what] then
      state, due_before, chunk = state_of(uid, now)
    end
    local must_thaw = chunk and READS[what]
    local target = state == 'DEAD' and redis.call('HGET', dead_messages, uid .. '/to')
    if what == 'cancel' and argument ~= '' and state == 'UNKNOWN' and not is_later then
      index.block_resend(argument, ARGV[i + 1])
    end
    if is_later then
      answer('UNKNOWN', 'LATER', must_thaw and chunk)
    elseif what == 'flag' then
      answer('UNKNOWN', flag(ARGV[i + 1], argument == '1') and 'DONE' or 'KEPT')
    elseif what == 'gate' then
      gate(ARGV[i + 1], tonumber(argument))
      answer('UNKNOWN', 'DONE')
    elseif what == 'limits' then
      --@include set_limits
      answer('UNKNOWN', set_limits(index, ARGV[i + 1], argument, stamp) and 'DONE' or 'KEPT')
      wake_all()
    elseif what == 'free' then
      answer('UNKNOWN', free_key(ARGV[i + 1]) and 'DONE' or 'KEPT')
    elseif what == 'forwarded' then
      if target then
        common.forget_dead(kept_dead, index, ids, dead_ids, uid)
        common.free_id(ids, uid)
      end
      answer(state, target and 'DONE' or 'KEPT', target and '>' .. target)
    elseif what == 'forward' then
      local outcome = target and 'FORWARDING' or 'KEPT'
      if state == 'DEAD' and not target then
        target, outcome = argument, 'DONE'
        redis.call('HSET', dead_messages, uid .. '/to', target)
      end
      answer(state, outcome, target and '>' .. target)
    elseif target then
      answer(state, 'FORWARDING', '>' .. target)
    elseif states ~= '' and not string.find(' ' .. states .. ' ', ' ' .. state .. ' ', 1, true) then
      answer(state, 'KEPT', state == 'SCHEDULED' and due_before or nil)
    elseif what == 'cancel' and argument ~= '' and not index.is_member(uid, argument) then
      answer(state, 'KEPT')
    elseif what == 'cancel' and state ~= 'UNKNOWN' then
      cancel(uid, state, 'cancelled', chunk)
      answer(state, 'DONE')
    elseif what == 'delete' and state ~= 'UNKNOWN' and state ~= 'IN_FLIGHT' then
      cancel(uid, state, 'purged', chunk)
      answer(state, 'DONE')
    elseif must_thaw then
      bytes_left = 0
      answer('UNKNOWN', 'LATER', chunk)
    elseif what == 'bury' and (state == 'SCHEDULED' or state == 'READY') then
      bury(uid, argument)
      answer(state, 'DONE')
    elseif what == 'change' and (state == 'SCHEDULED' or state == 'READY') then
      answer(state, change(uid, fresh, state, argument), state == 'SCHEDULED' and due_before or nil)
    elseif (what == 'schedule' or what == 'run') and (state == 'SCHEDULED' or state == 'READY') then
      local due = what == 'run' and now or math.max(now, due_time(argument, now))
      local deadline = schedule(uid, fresh, state, due, what == 'run')
      answer(state, deadline and 'OVERDUE' or 'DONE', string.format('%.0f', deadline or due))
    elseif what == 'expire' and (state == 'SCHEDULED' or state == 'READY')
        and tonumber(redis.call('ZSCORE', expiries, uid) or now + 1) <= now then
      bury(uid, argument)
      answer(state, 'DONE')
    elseif what == 'redrive' and state == 'DEAD' then
      local when, line = string.match(argument, '^([^/]*)/?(%d*)$')
      local due = math.max(now, due_time(when, now))
      local outcome = redrive(uid, fresh, due, line, 0)
      answer(state, outcome, outcome == 'DONE' and string.format('%.0f', due) or nil)
    elseif what == 'round' and state == 'DEAD' and rounds_of(redis.call('HGET', dead_messages, uid) or '') == argument - 1 then
      local outcome = redrive(uid, fresh, now, '', tonumber(argument))
      answer(state, outcome, outcome == 'DONE' and stamp or nil)
    else
      answer(state, 'KEPT', state == 'SCHEDULED' and due_before or nil)
    end
  end

  if longest > 4096 and longest > (tonumber(redis.call('HGET', meta, 'longest') or 0) or math.huge) then
    redis.call('HSET', meta, 'longest', longest)
  end
  if any_removed or #left > 0 then
    local untidy = false -- whether the lists have too many entries without a message; see tidy
    if not forget_emptied(index, held, lanes, suspects) then
      local length = redis.call('LLEN', ready) + redis.call('LLEN', suspects)
      if length <= 500 then
        for _, uid in ipairs(left) do
          if redis.call('LREM', ready, 1, uid) == 0 then
            redis.call('LREM', suspects, 1, uid)
          end
        end
      else
        local in_flight = redis.call('HLEN', held) - redis.call('ZCARD', lanes)
        --@include near
        local waiting = near_living(messages, meta) - redis.call('ZCARD', scheduled) - in_flight
          - redis.call('ZCARD', index.waiting)
        untidy = length - waiting > math.max(1000, waiting)
      end
    end
    words[3] = any_removed and redis.call('EXISTS', messages) == 0 and '2' or untidy and '1' or '0'
  end
end
reply = table.concat(words, ' ')
finish = function()
  if any_ready or index.promoted > 0 or index.noted then -- a lane that is woken relays the notes
    wake(sleepers, channel)
  end
  if any_scheduled then
    wake(sleepers, channel, now, redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2])
  end
end
