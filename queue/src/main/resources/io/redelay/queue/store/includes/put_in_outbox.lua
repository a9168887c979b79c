-- put_in_outbox(kind, text): notes in the queue's outbox what has yet to happen elsewhere, in another slot. An instance reads it
-- there, has it happen, and removes it then; see outbox.lua. kind: one letter, which tells what the text is.
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
