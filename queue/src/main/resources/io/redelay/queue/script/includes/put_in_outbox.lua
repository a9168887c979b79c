-- put_in_outbox(of, kind, text): adds a note to a queue's outbox, for a step in another slot. An instance reads the note,
-- has the step done, and then removes the note; see outbox.lua. of: outbox and meta, the keys, and noted, whether this script
-- noted anything. kind: one letter, the kind of the text.
--
-- reads    nothing
-- sets     put_in_outbox
local function put_in_outbox(of, kind, text)
  redis.call('XADD', of.outbox, '*', kind, text)
  if not of.noted then
    redis.call('HSET', of.meta, 'outbox', '1')
  end
  of.noted = true
end
