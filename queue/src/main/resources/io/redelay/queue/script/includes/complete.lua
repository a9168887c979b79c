-- complete(sections, uid, body, recorded): does what goes together with the acknowledgement of a message. sections: one behind the
-- other, each a letter, the length of its text in bytes, ':', and the text. body: if k is among them, and then recorded is the
-- result of work_of.
-- The letters:
--   k  keeps the message among the completed ones, without its payload if Redis has forgotten it. Its text: how old, ms, how many and
--      how large together they may be, with blanks between, and its id or nothing
--   r  keeps what its handler returned, behind k. Its text: the instance that waits for it or '-', a blank, and the result
--   m  sends a message: to its queue if the keys of that were given and the queue accepts it; else by a note in the outbox. Its
--      text: see next_messages
--   s  comes first, and saves the state of a recurring message. Its text: see run_states
--   w  comes first, and has the end of a message of a bundle, unless that is an acknowledgement without result: how it ended, a
--      byte 0, and the cause of death, the result of the handler, or nothing. That is noted for its bundle, see settle
--
--@keys-of claim
-- reads    claim, common, index, parts, save_state
-- sets     complete, notes, sends, trim_completed
local notes = { outbox = KEYS.outbox, meta = KEYS.meta }
local kept = common.completed_of(KEYS.completed, KEYS.completed_messages, KEYS.completed_tags, claim.now)
local RESULT = '=' -- before the name of a message in a published text: it has a result
local completions = {}

local bounds = nil -- of the completed messages that are to be kept, as text, if any are
local keeping = {} -- these messages
local trims_left = 1000

-- trim_completed(): writes all messages that have the same bounds, and removes the oldest ones beyond these.
local function trim_completed()
  if bounds then
    kept.keep(keeping)
    keeping = {}
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
  keeping[#keeping + 1] = { uid = uid, id = id, body = body, recorded = recorded, tags = index and index.tags_before(uid) or nil }
end

completions.r = function(text, uid)
  local waiting, result = string.match(text, '^(%S+) (.*)$')
  local message = keeping[#keeping]
  message.result = result
  if waiting ~= '-' then
    redis.pcall('PUBLISH', claim.channel .. waiting, RESULT .. (message.id ~= '' and message.id or uid))
  end
end

local sends = common.next_messages(notes, claim.channel, claim.now, claim.stamp)

-- A claim that began without an index must not get keyed messages while it runs.
local function fits(packed, rules)
  local _, _, _, attributes = parts((struct.unpack('>I2c0', packed)))
  return index or rules == '' and not attributes
end

completions.s = save_state

completions.w = function() end

local function complete(sections, uid, body, recorded)
  local at = 1
  while at <= #sections do
    local kind, length, from = string.match(sections, '^(%a)(%d+):()', at)
    if kind == 'm' then
      sends.add(sections, from, fits)
    else
      completions[kind](string.sub(sections, from, from + length - 1), uid, body, recorded)
    end
    at = from + length
  end
end
