-- put_in_outbox(kind, text): adds a note to the queue's outbox, for a step in another slot. An instance reads the note,
-- has the step done, and then removes the note; see outbox.lua. kind: one letter, the kind of the text.
-- has_noted(): whether anything was noted.
--
-- reads    meta, outbox
-- sets     has_noted, put_in_outbox
local noted = false
local function has_noted()
  return noted
end

local function put_in_outbox(kind, text)
  redis.call('XADD', outbox, '*', kind, text)
  if not noted then
    redis.call('HSET', meta, 'outbox', '1')
  end
  noted = true
end
