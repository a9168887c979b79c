-- How a claim gives messages to its caller.

-- counts(uid's entry in tries): failures, crashes or nil if there was none
local function counts(entry)
  if not entry then
    return 0, nil
  end
  local failures, crashes = string.match(entry, '^(%d+)/?(%d*)$')
  return tonumber(failures), tonumber(crashes)
end

-- deliver(reply, uids, as_suspect): appends the messages that have a body, gives those uids and their bytes
local function deliver(reply, uids, as_suspect)
  local delivered, bytes = {}, 0
  if #uids == 0 then
    return delivered, bytes
  end
  local bodies = redis.call('HMGET', messages, unpack(uids))
  local entries = has_extras and redis.call('HMGET', tries, unpack(uids)) or {}
  local length, count = #reply, 0
  for i = 1, #uids do
    local uid, body = uids[i], bodies[i]
    if body then
      local told = uid
      if has_extras and (entries[i] or as_suspect[uid]) then
        local failures, crashes = counts(entries[i])
        told = uid .. ' ' .. failures .. ' ' .. (crashes or 0) .. (as_suspect[uid] and ' !' or '')
      end
      reply[length + 1], reply[length + 2] = told, body
      length = length + 2
      count = count + 1
      delivered[count] = uid
      bytes = bytes + #body
    end
  end
  return delivered, bytes
end
