-- Adds messages, all or none, now or to be delivered later.
--
-- I1  each message gets its body and exactly one of READY and SCHEDULED.
-- I2  a delay starts with the next full millisecond of the master's clock: never early.
-- I3  a repeated request number gets the same reply and adds nothing; a lower one and an unknown lane add nothing.
-- I7  the first write is one that a full Redis refuses: nothing is added then, and the caller gets the error.
-- I8  a limit on the queue's length refuses all, or drops the messages that have waited longest and lists them in the reply: never
--     held messages, those that this request adds, or originals of its duplicates. If that makes no room, all is refused. A limit on
--     the line of an ordering key refuses all.
-- A message whose id a living message has is a duplicate; a dead message gives its id up.
-- Of messages with one key the first wins within its window, or the newest replaces the one that waits and was not claimed, or
-- their payloads gather in one that was never claimed. A dead or removed message gives its key up.
--
--@keys sent messages ready sleepers known meta
--@keys scheduled ids tries history expiries
--@keys dead dead:ids
--@keys keys tags outbox order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries
--@keys completed completed:messages work completed:tags suspects held lanes past far far:chunks
--@keys handed
-- sent:<lane>      the lane's last request number and its results
-- messages         uid -> envelope
-- known            there if the queue is known
-- meta             longest -> what no living envelope is longer than, closed -> whether nothing is to be sent, line -> how
--                  long the line of an ordering key may be, whatever ARGV[5] says, far -> see includes/far.lua
-- scheduled..      only if a message has an id, keys, a time to live or a deadline, or is due later, or there is a limit, as each key
--                  costs
-- ids              i:<id> -> uid, u:<uid> -> id
-- expiries         messages that have one by the end of their time to live, or their deadline if that is earlier
-- dead..           only if a message has an id or keys, there is a limit, or the messages may have been added before
-- dead:ids         finds dead messages whose ids other messages have taken
-- keys..           only if a message has keys: up to tags if these are all; up to outbox if it is in a bundle; up to busy if it has an
--                  ordering key, a fairness key or a priority; up to past if the limit drops the longest-waiting messages, or the
--                  messages may have been added before; up to far:chunks if one has a key to deduplicate by
-- past             uids that were acknowledged before they were sent again; @lost if Redis did not know the lane of a consumer
-- handed           only if the messages are handed over from elsewhere, where they are kept until this queue has them: uids of
--                  messages that were handed over, by the time until which they are remembered
-- ARGV    the request:
-- ARGV[1] request number
-- ARGV[2] how long an unused lane is remembered, ms; '' for as long as it is by now
-- ARGV[3] wake channel, without the instance
-- ARGV[4] the messages, all in one argument, as each argument costs. Of each, with its length before it (of two and of four bytes,
--         the highest first): its uid, and nothing else if it is due now and has neither id nor keys; or else, with a byte 0
--         behind each, its uid, when ('' now, '+ms' after, '@ms' at) and its id or nothing, and then its attributes, if it has keys
--         (see includes/attributes.lua);
--         its envelope (a JSON object, not empty) from behind the opening brace; empty if that is an argument of its own, which a
--         long one may be if no more keys than meta are named: each byte costs Lua less then
-- ARGV[5] '' or, if there is a limit: how many living messages the queue may have, with ! behind it to drop those that have waited
--         longest; with / behind that and how long the line of an ordering key may be, - for any length whatever meta says; with <
--         behind that to refuse all if one is due when its deadline is over
-- ARGV[6] if the messages may have been added before, for how long they are held back at least, ms: those that are there are
--         passed over, and consumers have time to report what they had settled: ten seconds if Redis does not know the consumers.
--         With ! behind it if their send has returned: a closed queue takes them, too
-- ARGV[7] '' or, if any message has a key to deduplicate by: of each that has one, with the length before it in two bytes, its
--         position from 0 and its rule, with blanks between: the window, ms, 1 if a duplicate extends it or 0, 0, f: and the key, if
--         the first wins; the longest wait, ms, 0, 0, d: and the key, for the newest to replace; how many payloads, how many bytes,
--         the longest wait, ms, if each payload restarts the wait or 0, a: and the key, for the payloads to gather, which are JSON
--         arrays then
-- ARGV[8] if the messages are handed over: for how long their uids are remembered, ms. Those that are remembered, there or done
--         are passed over, and the reply does not list them
-- ARGV[9..] the envelopes that are arguments of their own, in the order of their messages, without the opening brace
-- reply   words: OK, now, then three a duplicate: position from 0, uid that has the id, when that one is due;
--         three a message that was dropped: -, its uid, 0;
--         and three a message with a key: = and its position, id of the one that came first, when that one is due; < position,
--         id of the one that it replaced, when it is due itself; + or > position, uid of the message that it begins or in which
--         it is gathered, when that one is due. In an id %20 stands for a blank and %25 for %
--         FULL, now, how many there are; or, if the line of an ordering key is as long as it may be, how many are in that line and
--         the position from 0 of the message that does not fit; CLOSED, now
--         OVERDUE, now, position from 0 of a message that is due when its deadline is over, when it is due, its deadline
--         GONE, now: the lane is unknown; DELETED, now: the queue is; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was added
--
-- The other scripts that add, move or remove messages are sent within this one, as they share the functions for keyed messages, for
-- those that are kept after their end, and much else. ARGV[1] has the name of one and a blank before its own first argument.
--@include clock
local sent, number, memory_ms = KEYS.sent, ARGV[1], ARGV[2]
local seq, script = tonumber(number), nil
if not seq then
  script, number = string.match(number, '^(%S+) (.*)$')
end
--@include wake
--@include send_to
--@include once
-- A send of plain messages to a plain queue ends here, before the other functions are defined.
if not script and not KEYS.scheduled then
  local reply = first_reply(sent, seq, stamp)
  if not reply then
    reply = send_to(KEYS, ARGV, now, stamp)
    if string.byte(reply) ~= DELETED_BYTE then
      remember(sent, number, reply, memory_ms)
    end
  end
  return reply
end

--@include call_all
--@include own_field
--@include marks
--@include past
--@include lost
--@include plus
--@include put_in_outbox
--@include attributes
--@include index
--@include when
--@include expiry
--@include parts
--@include displace
--@include names
--@include far
local define
--@include add_directly
-- define(index_of, sends): what a claim seldom needs, the others always, and a send of messages that are not plain in part: then it
-- gives add_specially, and else a table. Defining a function costs some time, and more with each local that it reads from around it.
define = function(index_of, sends)
  --@include remove_from
  --@include free_id
  --@include forget_living
  --@include line_length
  --@include take_turn
  --@include remove_far
  --@include send_specially
  if sends then
    return add_specially
  end
  --@include history
  --@include close_key
  --@include kept_dead
  --@include forget_dead
  --@include kept_completed
  --@include next_messages
  return {
    add_specially = add_specially, remove_from = remove_from, turn_taker = turn_taker, line_length = line_length,
    free_id = free_id, forget_living = forget_living, note = note, close_key = close_key, dead_of = dead_of,
    forget_dead = forget_dead, completed_of = completed_of, next_messages = next_messages,
    remove_far = remove_far,
  }
end
if not script then
  local reply = first_reply(sent, seq, stamp)
  if not reply then
    reply = send_to(KEYS, ARGV, now, stamp, ARGV[5] and define(index_of, true) or add_directly)
    if string.byte(reply) ~= DELETED_BYTE then
      remember(sent, number, reply, memory_ms)
    end
  end
  return reply
end

--@include lane_entry
--@include held_count
--@include returns
--@include rest
--@include counts
if script == 'claim' then
  --@script claim
end

local common = define(index_of)
--@include holding_less
if script == 'resume' then
  --@script resume
elseif script == 'recurring-write' then
  --@script recurring-write
end
local reply = first_reply(sent, tonumber(number), stamp)
if reply then
  return reply
end
local finish -- what is to be done when the reply is remembered, if anything is
if script == 'publish' then
  --@script publish
elseif script == 'replay' then
  --@script replay
elseif script == 'take-over' then
  --@script take-over
elseif script == 'bundle' then
  --@script bundle
else
  --@script steer
end
remember(sent, number, reply, memory_ms)
if finish then
  finish()
end
return reply
