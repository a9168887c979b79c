-- deliver(uids, as_suspect): gives the caller of a claim the messages that have a body: they go to reply and their uids to taken,
-- and byte_limit is less by what they have.
--
-- reads    has_extras, messages, tries
-- changes  byte_limit, reply, taken
-- sets     deliver
local function deliver(uids, as_suspect)
  local bodies = redis.call('HMGET', messages, unpack(uids))
  local entries, read
  if has_extras then
    --@include counts
    entries, read = redis.call('HMGET', tries, unpack(uids)), counts
  end
  local length, count = #reply, #taken
  for i = 1, #uids do
    local uid, body = uids[i], bodies[i]
    if body then
      local told = uid
      if entries and (entries[i] or as_suspect[uid]) then
        local failures, crashes = read(entries[i])
        told = uid .. ' ' .. failures .. ' ' .. (crashes or 0) .. (as_suspect[uid] and ' !' or '')
      end
      reply[length + 1], reply[length + 2] = told, body
      length = length + 2
      count = count + 1
      taken[count] = uid
      byte_limit = byte_limit - #body
    end
  end
end
