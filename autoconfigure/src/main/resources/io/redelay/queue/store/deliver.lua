-- deliver(uids, as_suspect): gives the caller of a claim the messages that have a body. Works on the locals of the claim: the
-- messages go to reply and their uids to taken, and byte_limit is less by what they have. Reads tries as counts does.
local function deliver(uids, as_suspect)
  local bodies = redis.call('HMGET', messages, unpack(uids))
  local entries = has_extras and redis.call('HMGET', tries, unpack(uids))
  local length, count = #reply, #taken
  for i = 1, #uids do
    local uid, body = uids[i], bodies[i]
    if body then
      local told = uid
      if entries and (entries[i] or as_suspect[uid]) then
        local failures, crashes = string.match(entries[i] or '0', '^(%d+)/?(%d*)$')
        told = uid .. ' ' .. failures .. ' ' .. (crashes ~= '' and crashes or '0') .. (as_suspect[uid] and ' !' or '')
      end
      reply[length + 1], reply[length + 2] = told, body
      length = length + 2
      count = count + 1
      taken[count] = uid
      byte_limit = byte_limit - #body
    end
  end
end
