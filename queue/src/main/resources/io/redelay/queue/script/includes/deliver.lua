-- deliver(reply, taken, uids, marks, counts, has_work): adds the messages that have a body to reply, with their checkpoints, and
-- their uids to taken. marks: uid -> ! if it is held as a suspect, or > and the uid of the message whose row it is in. counts: see
-- counts; nil if no message has data that those of a plain queue do not have. has_work: whether handlers recorded something of any.
-- Gives the bytes of what was added.
--
--@keys-of claim
-- reads    nothing
-- sets     deliver
local function deliver(reply, taken, uids, marks, counts, has_work)
  local bodies = redis.call('HMGET', KEYS.messages, unpack(uids))
  local entries = counts and (redis.call('EXISTS', KEYS.tries) == 1 and redis.call('HMGET', KEYS.tries, unpack(uids)) or {})
  local checkpoints
  --@keyed
  if has_work then
    local fields = {}
    for i = 1, #uids do
      fields[i] = uids[i] .. '/checkpoint'
    end
    checkpoints = redis.call('HMGET', KEYS.work, unpack(fields))
  end
  --@end
  local length, count, bytes = #reply, #taken, 0
  for i = 1, #uids do
    local uid, body = uids[i], bodies[i]
    if body then
      local facts = uid
      local checkpoint, mark = checkpoints and checkpoints[i], marks[uid]
      if entries and (entries[i] or mark) then
        local failures, crashes, trace = counts(entries[i])
        facts = uid .. ' ' .. failures .. ' ' .. (crashes or 0) .. (mark and ' ' .. mark or '')
          .. (trace == '' and '' or ' ' .. trace)
      elseif mark then
        facts = uid .. ' 0 0 ' .. mark
      elseif checkpoint then
        facts = uid .. ' 0 0'
      end
      reply[length + 1], reply[length + 2] = facts, body
      length = length + 2
      --@keyed
      if checkpoint then
        reply[length - 1] = facts .. ' *' -- its checkpoint follows its envelope
        reply[length + 1] = checkpoint
        length = length + 1
        bytes = bytes + #checkpoint
      end
      --@end
      count = count + 1
      taken[count] = uid
      bytes = bytes + #body
    end
  end
  return bytes
end
