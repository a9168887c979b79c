-- deliver(uids, as_suspect): adds the messages that have a body to reply, with their checkpoints, and their uids to taken, and
-- subtracts their bytes from byte_limit.
--
-- reads    KEYS.work, counts, has_extras, has_work, messages, tries
-- changes  byte_limit, reply, taken
-- sets     deliver
local CHECKPOINT = '*' -- at the end of the words for a message: its checkpoint follows its envelope
local function deliver(uids, as_suspect)
  local bodies = redis.call('HMGET', messages, unpack(uids))
  local entries = has_extras and redis.call('HMGET', tries, unpack(uids))
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
  local length, count = #reply, #taken
  for i = 1, #uids do
    local uid, body = uids[i], bodies[i]
    if body then
      local facts = uid
      local checkpoint = checkpoints and checkpoints[i]
      if entries and (entries[i] or as_suspect[uid]) then
        local failures, crashes, trace = counts(entries[i])
        facts = uid .. ' ' .. failures .. ' ' .. (crashes or 0) .. (as_suspect[uid] and ' !' or '')
          .. (trace == '' and '' or ' ' .. trace)
      elseif checkpoint then
        facts = uid .. ' 0 0'
      end
      reply[length + 1], reply[length + 2] = facts, body
      length = length + 2
      --@keyed
      if checkpoint then
        reply[length - 1] = facts .. ' ' .. CHECKPOINT
        reply[length + 1] = checkpoint
        length = length + 1
        byte_limit = byte_limit - #checkpoint
      end
      --@end
      count = count + 1
      taken[count] = uid
      byte_limit = byte_limit - #body
    end
  end
end
