-- next_messages(notes, channel, now, stamp): messages that are sent in the step of something else. Of each a text says: the place in
-- KEYS of the keys that a send names behind its first one, or 0 if there are none; how many they are; '*' if that queue is the
-- own one, or '-'; how long it may be, or '-', and for how long the message is held back as it may have been sent before Redis went
-- back in time, or '-', as for a send; the lengths of what follows behind a ':': the message as ARGV[4] of a send has it, its rules to
-- deduplicate by, and the head of the note that stands for it in the outbox if its queue does not take it: when, as for a send,
-- or '-'; the uid; the queue; the rest of the message in JSON. Behind that a note has a line break and the envelope.
-- Gives put_note(note): leaves a message to the outbox; add(text, from, fits, change): a message, whose text begins there; if it is for
-- the own queue and does not fit it goes to the outbox; change, or nil, gives another envelope for it; send(): sends all that were
-- added; longest: how long one for the own queue was at most; refused: true since a queue refused one.
--
-- reads    KEYS[1..], add_directly, add_specially, due_time, put_in_outbox, send_to
-- sets     next_messages
local function next_messages(notes, channel, now, stamp)
  local sends = { longest = 0 }
  local batches, by_place, total = {}, {}, 0 -- those of a queue whose sends are alike go together

  -- A delay begins now, not when the note is read.
  sends.put_note = function(note)
    local due, rest = string.match(note, '^(%S+)( .*)$')
    if due ~= '-' then
      due = '@' .. string.format('%.0f', due_time(due, now))
    end
    put_in_outbox(notes, 'm', due .. rest)
  end

  local function put(packed, note_head)
    local _, envelope = struct.unpack('>I2c0I4c0', packed)
    sends.put_note(note_head .. '\n{' .. envelope)
  end

  -- Whether the queue has taken the messages, of which it takes all or none.
  local function takes(batch, packed)
    local their_keys = { '', unpack(KEYS, batch.at, batch.at + batch.count - 1) }
    local sent = send_to(their_keys, { '', '', channel, packed, batch.limit, batch.again, batch.rules }, now, stamp,
      batch.alike and add_directly or add_specially)
    return string.sub(sent, 1, 3) == 'OK '
  end

  sends.add = function(text, from, fits, change)
    local at, count, own, limit, again, size, length, head_length, begin =
      string.match(text, '^(%d+) (%d+) ([*-]) (%S+) (%S+) (%d+) (%d+) (%d+):()', from)
    local behind = begin + size + length
    local packed, rules = string.sub(text, begin, begin + size - 1), length ~= '0' and string.sub(text, begin + size, behind - 1) or ''
    local note_head = string.sub(text, behind, behind + head_length - 1)
    if change then
      local head, envelope = struct.unpack('>I2c0I4c0', packed)
      envelope = change(envelope)
      packed = struct.pack('>I2c0I4c0', #head, head, #envelope, envelope)
    end
    if at == '0' or own == '*' and fits and not fits(packed, rules) then
      sends.send() -- so that notes keep the order
      put(packed, note_head)
      return
    end
    local alike = limit == '-' and again == '-' and rules == ''
    local batch = alike and by_place[at]
    if not batch then
      batch = { at = at, count = 0, own = own, limit = limit == '-' and '' or limit, again = again == '-' and '' or again,
        rules = rules, alike = alike, packed = {}, heads = {}, places = {} }
      batches[#batches + 1], by_place[at] = batch, alike and batch or nil
    end
    batch.count = math.max(batch.count, count) -- the keys of one are the first ones of another
    local n = #batch.packed + 1
    total = total + 1
    batch.packed[n], batch.heads[n], batch.places[n] = packed, note_head, total
  end

  -- If a queue refuses several, each goes for itself.
  sends.send = function()
    local refused = {}
    for _, batch in ipairs(batches) do
      local all = #batch.packed > 1 and takes(batch, table.concat(batch.packed))
      for n, packed in ipairs(batch.packed) do
        if not all and not takes(batch, packed) then
          refused[batch.places[n]] = { packed, batch.heads[n] }
        elseif batch.own == '*' then
          sends.longest = math.max(sends.longest, #packed + 256)
        end
      end
    end
    for place = 1, total do
      if refused[place] then
        sends.refused = true
        put(refused[place][1], refused[place][2])
      end
    end
    batches, by_place, total = {}, {}, 0
  end
  return sends
end
