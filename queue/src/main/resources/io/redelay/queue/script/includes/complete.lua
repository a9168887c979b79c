-- complete(sections, uid, body, recorded): does what goes together with the acknowledgement of a message. sections: one behind the
-- other, each a letter, the length of its text in bytes, ':', and the text. body: if k is among them, and then recorded is the
-- result of work_of.
-- The letters:
--   k  keeps the message among the completed ones, without its payload if Redis has forgotten it. Its text: how old, ms, how many and
--      how large together they may be, with blanks between, and its id or nothing
--   r  keeps what its handler returned, behind k. Its text: the instance that waits for it or '-', a blank, and the result
--   m  sends a message: to its queue if the keys of that were given and the queue accepts it; else by a note in the outbox. Its
--      text: the place in KEYS of the keys that a send names behind its first one, or 0 if there are none; how many they are; '*' if
--      that queue is the own one, or '-'; how long it may be, or '-', and for how long the message is held back as it may have been
--      sent before Redis went back in time, or '-', as for a send; then, each with its length and ':' before it,
--      the head as a send has it, and the rules to deduplicate by; and then the text of the note, which is: when, as for a send, or
--      '-'; the uid; the queue; the rest of the message in JSON; a line break; the envelope
--   s  comes first, and saves the state of a recurring message. Its text: see run_states
--   w  comes first, and has the end of a message of a bundle, unless that is an acknowledgement without result: how it ended, a
--      byte 0, and the cause of death, the result of the handler, or nothing. That is noted for its bundle, see settle
--
--@keys-of claim
-- reads    common, due_time, index, parts, put_in_outbox, save_state, send_to
-- changes  claim
-- sets     complete, notes, trim_completed
local notes = { outbox = KEYS.outbox, meta = KEYS.meta }
local kept = common.completed_of(KEYS.completed, KEYS.completed_messages, KEYS.completed_tags, claim.now)
local RESULT = '=' -- before the name of a message in a published text: it has a result
local completions = {}

local bounds = nil -- of the completed messages that were kept last, as text, if any were
local trims_left = 1000

-- trim_completed(): once for all messages that have the same bounds.
local function trim_completed()
  if bounds then
    local max_age, max_count, max_bytes = string.match(bounds, '^(%d+) (%d+) (%d+)')
    trims_left = kept.trim(tonumber(max_age), tonumber(max_count), tonumber(max_bytes), trims_left)
  end
end

completions.k = function(text, uid, body, recorded)
  local its_bounds, id = string.match(text, '^(%d+ %d+ %d+) (.*)$')
  if its_bounds ~= bounds then
    trim_completed()
  end
  bounds = its_bounds
  -- Redis may have forgotten the body, but an instance that waits for the result finds it.
  body = body or string.format('{"sentAt":%.0f,"v":1,"payload":null}', claim.now)
  kept.keep(uid, id, body, recorded, index and index.tags_before(uid))
end

completions.r = function(text, uid)
  local waiting, result = string.match(text, '^(%S+) (.*)$')
  local name = kept.keep_result(uid, result)
  if waiting ~= '-' then
    redis.pcall('PUBLISH', claim.channel .. waiting, RESULT .. name)
  end
end

completions.m = function(text)
  local at, count, own, limit, again, length, from = string.match(text, '^(%d+) (%d+) ([*-]) (%S+) (%S+) (%d+):()')
  local head = string.sub(text, from, from + length - 1)
  length, from = string.match(text, '^(%d+):()', from + length)
  local rules = string.sub(text, from, from + length - 1)
  local note = string.sub(text, from + length)
  -- A claim that began without an index must not get keyed messages while it runs.
  local _, _, _, attributes = parts(head)
  local fits = own == '-' or index or rules == '' and not attributes
  if at ~= '0' and fits then
    local their_keys = { '' }
    for i = 1, count do
      their_keys[i + 1] = KEYS[at + i - 1]
    end
    local body = string.sub(note, string.find(note, '\n', 1, true) + 2) -- from behind its opening brace
    local packed = struct.pack('>I2c0I4c0', #head, head, #body, body)
    local sent = send_to(their_keys, { '', '', claim.channel, packed, limit == '-' and '' or limit, again == '-' and '' or again,
      rules }, claim.now, claim.stamp, common.add_specially)
    if string.sub(sent, 1, 3) == 'OK ' then
      if own == '*' then -- the claim that follows is limited by bytes
        claim.longest = math.max(claim.longest, #body + 256)
      end
      return
    end
  end
  -- A delay begins now, not when the note is read.
  local due, rest = string.match(note, '^(%S+)( .*)$')
  if due ~= '-' then
    due = '@' .. string.format('%.0f', due_time(due, claim.now))
  end
  put_in_outbox(notes, 'm', due .. rest)
end

completions.s = function(text)
  save_state(text)
end

completions.w = function() end

local function complete(sections, uid, body, recorded)
  local at = 1
  while at <= #sections do
    local kind, length, from = string.match(sections, '^(%a)(%d+):()', at)
    completions[kind](string.sub(sections, from, from + length - 1), uid, body, recorded)
    at = from + length
  end
end
