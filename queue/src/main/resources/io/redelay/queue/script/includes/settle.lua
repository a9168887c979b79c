-- settle(names, tokens, holders, acknowledged, claim, index, common): settles messages, except in the common case, in which all are
-- acknowledged and still held.
-- names        their uids from 2 on, the acknowledged ones first, up to that place; the others as ARGV[10..] has them
-- tokens       what held has of each if the lane holds it;    holders  what it has
-- claim        lane, channel, now, stamp, has_sleepers: whether any lane sleeps, has_work: whether handlers recorded something of any
--              message; settle adds to refused: uids whose settlement is refused, and to refused_late: uid -> whether its late
--              acknowledgement is, as another lane holds it; it changes count: how many messages the lane holds, has_extras: see
--              claim_presence, longest: what no envelope is longer than, gate: until when nothing is to be claimed, has_notes: whether
--              there are notes in the outbox; it sets failed_due: when the first of the messages that failed now is due again, and
--              finished_suspect: whether a suspect was settled
-- index        nil if no message has keys
-- common       note and dead_of, and of a keyed claim all that define gives
--
--@keys-of claim
-- reads    CANCELLED, counts, forget, free_ids, parts
-- sets     settle
local function settle(names, tokens, holders, acknowledged, claim, index, common)
  --@paste marks
  --@paste past
  --@keyed
  --@include run_states
  --@end
  local kept_dead -- data of dead messages
  local released_uids, done, late = {}, {}, {}
  local gone, returned, unhandled, again, dead_now, cancelled_uids = {}, {}, {}, {}, {}, {}
  local settled, missing = {}, {}
  local TRACE_BYTE = 64 -- @, behind a retry: the trace of its attempt follows
  local bodiless = {} -- messages whose body is missing
  local together = {} -- of acknowledgements that count: their sections, the uid, and the body if that is kept, and handlers' records
  local otherwise = {} -- by uid: the w sections, of acknowledgements with another end or a result; see complete
  -- Records an acknowledgement that has sections.
  local function completes(uid, sections)
    together[#together + 1] = { sections, uid }
    local length, from = string.match(sections, '^w(%d+):()')
    otherwise[uid] = length and string.sub(sections, from, from + length - 1)
  end
  -- The kind of a settlement, and its place in ARGV.
  local function verb(n)
    local i = n > acknowledged and 10 + (n - acknowledged - 1) * 5
    return i and ARGV[i] or 'ack', i
  end
  local function is_held_as_suspect(n)
    local holder = holders[n]
    return holder and string.byte(holder, -1) == SUSPECT_BYTE and holder == tokens[n] .. SUSPECT
  end
  -- Releases messages that are held without a body. If one was acknowledged, it is not added when its sender sends it again.
  for n = 2, #names do
    local uid, holder = names[n], holders[n]
    if holder and string.byte(holder, -1) == BODILESS_BYTE and holder == tokens[n] .. BODILESS and not settled[uid] then
      settled[uid], missing[uid] = true, true
      released_uids[#released_uids + 1] = uid
      local what, i = verb(n)
      if what == 'done' then
        together[#together + 1] = { ARGV[i + 4], uid }
      end
      if what == 'done' or what == 'ack' or what == 'cancel' then
        redis.call('SADD', KEYS.past, uid)
        redis.call('PEXPIRE', KEYS.past, PAST_MS)
      end
      bodiless[#bodiless + 1] = uid
    end
  end
  for n = 2, acknowledged do
    local uid, holder = names[n], holders[n]
    local was_suspect = is_held_as_suspect(n)
    local mine = was_suspect or holder == tokens[n]
    if missing[uid] then
      missing[uid] = nil
    elseif settled[uid] or holder and not mine then
      claim.refused[#claim.refused + 1] = uid
      local own = claim.lane .. CLAIM
      if not settled[uid] and tokens[n] == own .. '0' and string.sub(holder, 1, #own) ~= own then
        settled[uid], claim.refused_late[uid] = true, true
      end
    else
      settled[uid] = true
      if mine then
        released_uids[#released_uids + 1] = uid
        done[#done + 1] = uid
        claim.finished_suspect = claim.finished_suspect or was_suspect
      elseif redis.call('HEXISTS', KEYS.messages, uid) == 1 then
        late[#late + 1] = uid
        done[#done + 1] = uid
      end
    end
  end
  -- Has the queue of a message wait, or its fairness key. Gives whether there is such a key.
  local function closes_gate(uid, what, delay)
    local till = claim.now + 1 + delay
    if what == '' then
      claim.gate = math.max(claim.gate or 0, till)
      redis.call('HSET', KEYS.meta, 'gate', string.format('%.0f', claim.gate))
      return true
    end
    --@keyed
    local key = index and index.fairness_key(uid) or ''
    if key ~= '' then
      common.close_key(KEYS.gates, key, math.max(till, tonumber(redis.call('ZSCORE', KEYS.gates, key) or 0)), claim.now)
      return true
    end
    --@end
    return false
  end
  local has_cancelled = acknowledged < #names and claim.has_extras and redis.call('EXISTS', KEYS.cancelled) == 1
  for n = acknowledged + 1, #names do
    local what, i = verb(n)
    local given_trace = ''
    if string.byte(what, 6) == TRACE_BYTE then
      what, given_trace = string.sub(what, 1, 5), string.sub(what, 6)
    end
    local uid, delay, cause = names[n], tonumber(ARGV[i + 3]), ARGV[i + 4]
    local was_suspect = is_held_as_suspect(n)
    local mine = was_suspect or holders[n] == tokens[n]
    -- Neither its state nor its acknowledgement counts: it runs again, with the saved state.
    local overtaken = false
    --@keyed
    overtaken = what == 'done' and not settled[uid] and string.byte(cause) == STATE_BYTE and not saves_state(cause)
    --@end
    if overtaken then
      what, delay, cause = 'back', 0, ''
    end
    if missing[uid] then
      missing[uid] = nil
    elseif what == 'done' and not settled[uid] and not holders[n] and redis.call('HEXISTS', KEYS.messages, uid) == 1 then
      settled[uid] = true
      late[#late + 1] = uid
      done[#done + 1] = uid
      completes(uid, cause)
    elseif settled[uid] or not mine then
      claim.refused[#claim.refused + 1] = uid
    elseif what == 'done' then
      settled[uid] = true
      released_uids[#released_uids + 1] = uid
      done[#done + 1] = uid
      claim.finished_suspect = claim.finished_suspect or was_suspect
      completes(uid, cause)
    else
      settled[uid] = true
      released_uids[#released_uids + 1] = uid
      claim.finished_suspect = claim.finished_suspect or was_suspect
      local is_cancelled = what == 'cancel' or has_cancelled and redis.call('SISMEMBER', KEYS.cancelled, uid) == 1
      if what == 'retry' and not is_cancelled then
        local failures, crashes, trace = counts(redis.call('HGET', KEYS.tries, uid))
        redis.call('HSET', KEYS.tries, uid,
          failures + 1 .. (crashes and '/' .. crashes or '') .. (trace == '' and given_trace or trace))
        claim.has_extras = true
        if cause ~= '' then
          common.note(KEYS.history, uid, cause)
        end
      end
      if is_cancelled then
        done[#done + 1] = uid
        cancelled_uids[#cancelled_uids + 1] = uid
        unhandled[#unhandled + 1] = uid
        if what ~= 'cancel' then
          claim.refused[#claim.refused + 1] = CANCELLED .. uid
        elseif cause ~= '' then
          together[#together + 1] = { cause, uid }
        end
      elseif what == 'bury' then
        local body = redis.call('HGET', KEYS.messages, uid)
        if body then
          kept_dead = kept_dead or common.dead_of(KEYS.dead, KEYS.dead_messages, claim.now)
          kept_dead.keep(uid, body, cause, claim.has_extras and redis.call('HGET', KEYS.history, uid),
            claim.has_work and index.work_of(uid))
          dead_now[#dead_now + 1] = uid
        end
        gone[#gone + 1] = uid
        unhandled[#unhandled + 1] = uid
      elseif what == 'wait' and closes_gate(uid, cause, delay) then
        returned[#returned + 1] = { uid, was_suspect }
      elseif delay > 0 or what == 'retry' and claim.has_sleepers then -- never for this lane at once if another one could have it
        local due = claim.now + 1 + delay
        redis.call('ZADD', KEYS.scheduled, due, uid)
        if what == 'retry' then
          claim.failed_due = math.min(claim.failed_due or due, due)
        end
      elseif what == 'retry' then
        again[#again + 1] = uid
      else
        returned[#returned + 1] = { uid, was_suspect }
      end
      if overtaken and not is_cancelled then
        claim.refused[#claim.refused + 1] = uid
      end
    end
  end
  --@keyed
  if index then -- first, so that of a row a message that is acknowledged passes its turn to one that failed, or comes back
    index.released(index.attributes_of(released_uids))
    index.ended(cancelled_uids, index.attributes_of(cancelled_uids), 'cancelled')
    for uid, end_note in pairs(otherwise) do
      local attributes = index.attributes_of({ uid })
      if attributes[1] then
        index.note_end(attributes[1], string.match(end_note, '^(%l+)%z(.*)$'))
      end
      index.ended({ uid }, attributes)
    end
    index.ended(done, index.attributes_of(done), 'acknowledged')
  end
  --@end
  if index then
    index.place(again)
  elseif #again > 0 then
    redis.call('RPUSH', KEYS.ready, unpack(again))
  end
  local to_front = {}
  for n = #returned, 1, -1 do
    local uid, was_suspect = returned[n][1], returned[n][2]
    if index and not was_suspect then
      table.insert(to_front, 1, uid)
    else
      redis.call('LPUSH', was_suspect and KEYS.suspects or KEYS.ready, uid)
    end
    claim.has_extras = claim.has_extras or was_suspect
  end
  --@keyed
  if #to_front > 0 then
    index.place(to_front, true)
  end
  if index then
    index.buried(dead_now, index.attributes_of(dead_now), KEYS.dead_messages)
  end
  --@end
  if #released_uids > 0 then
    redis.call('HDEL', KEYS.held, unpack(released_uids))
    claim.count = claim.count - #released_uids
  end
  if #late > 0 then
    redis.call('ZREM', KEYS.scheduled, unpack(late))
  end
  --@keyed
  local KEPT_BYTE = 107 -- k, of the section that keeps the message; only s or w comes before it
  local keeps, kept_uids = {}, {} -- of these, those that are kept
  for _, each in ipairs(together) do
    local length, from = string.match(each[1], '^[sw](%d+):()')
    if string.byte(each[1], length and from + length or 1) == KEPT_BYTE then
      keeps[#keeps + 1], kept_uids[#kept_uids + 1] = each, each[2]
    end
  end
  for n, body in ipairs(#keeps > 0 and redis.call('HMGET', KEYS.messages, unpack(kept_uids)) or {}) do
    keeps[n][3], keeps[n][4] = body, claim.has_work and index.work_of(kept_uids[n])
  end
  --@end
  if claim.has_extras then
    free_ids(done)
  end
  for _, uid in ipairs(done) do
    gone[#gone + 1] = uid
  end
  if #gone > 0 then
    redis.call('HDEL', KEYS.messages, unpack(gone))
    --@keyed
    if index then
      index.release_keys(unhandled, false)
      index.release_keys(done, true)
    end
    --@end
    if claim.has_extras then
      forget(gone)
    end
  end
  --@keyed
  if claim.has_work then
    index.forget_work(gone)
    index.forget_work(bodiless)
  end
  if #together > 0 then
    --@include complete
    for _, each in ipairs(together) do
      complete(each[1], each[2], each[3], each[4])
    end
    sends.send()
    claim.longest = math.max(claim.longest, sends.longest) -- the claim that follows is limited by bytes
    trim_completed()
    claim.has_notes = claim.has_notes or notes.noted
  end
  --@end
end
