-- Adds messages, all or none, now or to be delivered later.
--
-- I1  each message gets its body and exactly one of READY and SCHEDULED.
-- I2  a delay starts with the next full millisecond of the master's clock: never early.
-- I3  a request number seen before gives what it gave and adds nothing; a lower one does nothing; an unknown lane neither.
-- I7  the first write is one that a full Redis refuses: nothing is added then, and the caller is told.
-- I8  a limit on the queue's length refuses all, or drops what has waited longest and tells it: never what is in hand, nor what
--     this request adds or tells to be a duplicate's original. Where that makes no room, all is refused.
-- An id that a living message carries makes the new one a duplicate; a dead message gives its id up.
-- Of messages with one key the first wins within its window, or the newest replaces the one that waits and was not claimed, or
-- their payloads gather in one that was never claimed. A dead or removed message gives its key up.
--
-- KEYS[1] sent:<lane>    the lane's last request number and its results
-- KEYS[2] messages       uid -> envelope
-- KEYS[3] ready
-- KEYS[4] sleepers
-- KEYS[5] known          there if the queue is known
-- KEYS[6] meta           longest -> what no living envelope is longer than, closed -> whether nothing is to be sent
-- The others only if a message has an id, keys or a time to live or is due later, or there is a limit, for each costs:
-- KEYS[7] scheduled
-- KEYS[8] ids            i:<id> -> uid, u:<uid> -> id
-- KEYS[9] tries
-- KEYS[10] history
-- KEYS[11] expiries      messages that have one by the end of their time to live
-- Only if a message has an id or keys, there is a limit, or the messages may have been added before:
-- KEYS[12] dead
-- KEYS[13] dead:ids      what tells dead messages by ids that are others' by now
-- Only if a message has keys, the limit drops what has waited longest, or the messages may have been added before:
-- KEYS[14] suspects
-- KEYS[15] held
-- KEYS[16] lanes
-- KEYS[17] past          uids that were acknowledged before they were sent again
-- KEYS[18..] keys, order, waiting, seats, turns, weights, blocked, busy, rates, bursts, gates, dedup, dedup:expiries, outbox,
--          completed, completed:messages
-- ARGV[1] request number
-- ARGV[2] how long an unused lane is remembered, ms; '' for as long as it is by now
-- ARGV[3] wake channel, without the instance
-- ARGV[4] the messages, all in one argument, for each costs. Of each, with its length before it (of two and of four bytes, the
--         highest first): its uid, followed by when ('' now, '+ms' after, '@ms' at) and, if it has one, by a blank and its id,
--         and, if it has keys, by a byte 0 and its attributes (see includes/attributes.lua);
--         its envelope (a JSON object, not empty) from behind the opening brace
-- ARGV[5] '' or, if there is a limit: how many living messages the queue may have, with ! behind it to drop what has waited longest
-- ARGV[6] if the messages may have been added before, for how long they are held back at least, ms: those that are there are
--         passed over, and consumers have time to say what they had settled. With ! behind it if their send has returned: a
--         closed queue takes them, too
-- ARGV[7] if any message has a key to deduplicate by: of each that has one, with the length before it in two bytes, its position
--         from 0 and what is to become of it, with blanks between: the window, ms, 0, f: and the key, if the first wins; the
--         longest wait, ms, 0, d: and the key, for the newest to replace; how many payloads, how many bytes, a: and the key, for
--         the payloads to gather, which are JSON arrays then
-- reply   words: OK, now, then three a duplicate: position from 0, uid that has the id, when that one is due;
--         three a message that was dropped: -, its uid, 0;
--         and three a message with a key: = and its position, id of the one that came first, when that one is due; < position,
--         id of the one that it replaced, when it is due itself; + or > position, uid of the message that it begins or in which
--         it is gathered, when that one is due. In an id %20 stands for a blank and %25 for %
--         FULL, now, how many there are; CLOSED, now
--         GONE, now: the lane is unknown; DELETED, now: the queue is; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was added
--
-- What is a new string costs, for Lua reads each byte of it; and so does a number that is written out.
--@include clock
local sent, messages, ready, sleepers, known, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local seq, memory_ms, channel, packed = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

--@include once
--@include send_presence

local RETURNED_BYTE = 33 -- !
local reply
if settings[2] and string.byte(ARGV[6] or '', -1) ~= RETURNED_BYTE then
  reply = 'CLOSED ' .. stamp
  --@include remember
  return reply
end
reply = 'OK ' .. stamp

local MESSAGE = '>I2c0I4c0' -- how struct reads one
local times = '{"sentAt":' .. stamp .. ','
local longest = 0 -- of the envelopes that are added, bytes
local any_now, any_later = not KEYS[7], false -- whether any message is ready, or scheduled

if KEYS[7] then
  local scheduled, ids, tries, history, expiries = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
  local dead, dead_ids, held = KEYS[12], KEYS[13], KEYS[15]
  local index -- how to deal with messages that have keys or priorities, if there may be any
  if KEYS[18] then
    local index_at = 18
    --@include index
  end
  --@include when
  --@include names
  --@include free_id
  --@include forget_living
  --@include expiry
  --@include send_specially
else
  local uid, body, at = struct.unpack(MESSAGE, packed)
  body = times .. body
  longest = #body
  if at > #packed then -- one message, as mostly
    redis.call('HSET', messages, uid, body)
    redis.call('RPUSH', ready, uid)
  else
    local bodies, uids, n = { uid, body }, { uid }, 1
    repeat
      uid, body, at = struct.unpack(MESSAGE, packed, at)
      body = times .. body
      if #body > longest then
        longest = #body
      end
      n = n + 1
      bodies[2 * n - 1], bodies[2 * n], uids[n] = uid, body, uid
      if n == 500 or at > #packed then
        redis.call('HSET', messages, unpack(bodies))
        redis.call('RPUSH', ready, unpack(uids))
        bodies, uids, n = {}, {}, 0
      end
    until at > #packed
  end
end

-- For claims, which are limited by bytes. Up to 4096 lengths are not told apart, so that a queue of usual messages has no entry
-- and none is looked for. Steering may add 128 bytes: when the message is due, and an id.
longest = longest + 128
if longest > 4096 and longest > tonumber(settings[1] or 0) then
  redis.call('HSET', meta, 'longest', longest)
end
--@include remember

if somebody_sleeps then
  --@include wake
  if any_now then
    wake(sleepers, channel)
  end
  if any_later then
    watch(redis.call('ZRANGE', KEYS[7], 0, 0, 'WITHSCORES')[2], sleepers, channel, now)
  end
end
return reply
