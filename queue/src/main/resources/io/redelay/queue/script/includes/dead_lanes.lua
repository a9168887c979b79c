-- release_dead_lanes(now, refused, refused_late, index, has_work, has_extras): finds the messages that dead lanes hold, in bounded
-- steps. refused, refused_late: see settle; a late acknowledgement of such a message counts after all. Gives whether some dead lanes
-- left hold messages, whether there are more dead lanes to check, whether messages became suspects, the uids of those that were held,
-- and of those that had been cancelled.
--
--@keys-of claim
-- reads    BODILESS, COUNT, HOLDS_NOTHING, OWN_FIELD, OWN_FIELD_BYTE, RETURNS, SUSPECT, counts, forget, free_ids
-- sets     release_dead_lanes

-- Removes the dead lanes that hold nothing, or all of them. Gives whether some are left that hold messages, and whether
-- there are more to check.
local function forget_dead_lanes(now, all)
  local dead_lanes = redis.call('ZRANGEBYSCORE', KEYS.lanes, '-inf', now, 'LIMIT', 0, 100)
  if #dead_lanes == 0 then
    return false, false
  end
  local fields, forgotten, forgotten_fields = {}, {}, {}
  for n, name in ipairs(dead_lanes) do
    fields[n] = OWN_FIELD .. name
  end
  for n, entry in ipairs(redis.call('HMGET', KEYS.held, unpack(fields))) do
    if all or not entry or string.match(entry, HOLDS_NOTHING) or not string.match(entry, COUNT) then
      forgotten[#forgotten + 1] = dead_lanes[n]
      forgotten_fields[#forgotten_fields + 1] = fields[n]
    end
  end
  if #forgotten > 0 then
    redis.call('HDEL', KEYS.held, unpack(forgotten_fields))
    redis.call('ZREM', KEYS.lanes, unpack(forgotten))
  end
  return #forgotten < #dead_lanes, #dead_lanes == 100
end

-- A late acknowledgement counts after all.
local function accept_late(refused, uid)
  for n, other in ipairs(refused) do
    if other == uid then
      table.remove(refused, n)
      return
    end
  end
end

--@keyed
-- Adds to entries of held those of the same rows, so that a row comes back as a whole, in its order. Gives which of all are not the
-- first of theirs, by uid.
local function complete_rows(index, entries)
  local uids, known, keys, behind = {}, {}, {}, {}
  for i = 1, #entries, 2 do
    uids[#uids + 1], known[entries[i]] = entries[i], true
  end
  for _, attributes in ipairs(index.attributes_of(uids)) do
    local key = attributes and string.match(attributes, index.ORDERING_KEY) or ''
    keys[#keys + 1] = key ~= '' and key or nil
  end
  for _, row in ipairs(#keys > 0 and redis.call('HMGET', index.order, unpack(keys)) or {}) do
    for uid in string.gmatch(row or '', ' (%S+)') do
      local holder = not known[uid] and redis.call('HGET', KEYS.held, uid)
      if holder then
        entries[#entries + 1], entries[#entries + 2] = uid, holder
      end
      known[uid], behind[uid] = true, true
    end
  end
  return behind
end
--@end

--@paste holding_less
-- One bounded step through `held`: messages that dead lanes hold become suspects, but for those that a consumer gives back, and those
-- of a row behind its first one, which wait for that. Gives whether all of `held` was seen. A pass may begin anywhere and may miss
-- some (a restart of Redis gives the cursor another meaning): a lane is only removed when its count says that it holds nothing. One
-- that renews itself meanwhile keeps what it still holds. Each entry of a page may bring its row of 100 others: so the page is short.
local function sweep(now, refused, refused_late, index, has_work, has_extras, moved)
  local complete = redis.call('HLEN', KEYS.held) <= 512
  local entries
  if complete then
    entries = redis.call('HGETALL', KEYS.held)
  else
    local cursor = string.match(redis.call('HGET', KEYS.meta, 'sweep') or '', '^%d+') or '0'
    local page = redis.call('HSCAN', KEYS.held, cursor, 'COUNT', index and 32 or 512)
    redis.call('HSET', KEYS.meta, 'sweep', page[1])
    entries = page[2]
  end
  local has_cancelled = redis.call('EXISTS', KEYS.cancelled) == 1
  local behind = {}
  --@keyed
  behind = index and complete_rows(index, entries) or behind
  --@end
  local is_dead, gives_back, lost = {}, {}, {} -- by lane; lost: how many of its messages
  local returned, released_uids, done = {}, {}, {}
  for i = 1, #entries, 2 do
    local uid = entries[i]
    if string.byte(uid) ~= OWN_FIELD_BYTE then
      -- An entry of another version is held by the lane that it names; if that is no lane, the message becomes a suspect.
      local holder, mark = string.match(entries[i + 1], '^([^/]*)/?%d*(.?)')
      if is_dead[holder] == nil then
        local deadline = redis.call('ZSCORE', KEYS.lanes, holder)
        is_dead[holder] = not deadline or tonumber(deadline) <= now
        gives_back[holder] = deadline == RETURNS
      end
      if is_dead[holder] and redis.call('HDEL', KEYS.held, uid) == 1 then -- a page may give an entry twice
        lost[holder] = (lost[holder] or 0) + 1
        released_uids[#released_uids + 1] = uid
        if refused_late[uid] or has_cancelled and redis.call('SISMEMBER', KEYS.cancelled, uid) == 1 then
          if refused_late[uid] then
            accept_late(refused, uid)
          else
            moved.cancelled[#moved.cancelled + 1] = uid
          end
          if has_extras then
            free_ids({ uid })
            forget({ uid })
          end
          --@keyed
          if has_work then
            index.forget_work({ uid })
          end
          if index then
            index.release_keys({ uid }, refused_late[uid])
          end
          --@end
          redis.call('HDEL', KEYS.messages, uid)
          done[#done + 1] = uid
        elseif mark == BODILESS then
          -- It has no body: a repeated send makes it ready.
          --@keyed
          if has_work then
            index.forget_work({ uid })
          end
          --@end
        elseif (gives_back[holder] or behind[uid]) and mark ~= SUSPECT then
          returned[#returned + 1] = uid
          moved.back[#moved.back + 1] = uid
        else
          redis.call('RPUSH', KEYS.suspects, uid)
          moved.back[#moved.back + 1] = uid
          if mark == SUSPECT and not gives_back[holder] then
            local failures, crashes, trace = counts(redis.call('HGET', KEYS.tries, uid))
            redis.call('HSET', KEYS.tries, uid, failures .. '/' .. (crashes or 0) + 1 .. trace)
          end
          moved.made_suspects, has_extras = true, true
        end
      end
    end
  end
  table.sort(returned) -- in about the order in which they were sent
  if index then
    table.sort(done)
    index.released(index.attributes_of(released_uids))
    index.ended(moved.cancelled, index.attributes_of(moved.cancelled), 'cancelled')
    index.ended(done, index.attributes_of(done), 'acknowledged')
    index.place(returned, true)
  else
    for n = #returned, 1, -1 do
      redis.call('LPUSH', KEYS.ready, returned[n])
    end
  end
  for holder, n in pairs(lost) do
    local entry = redis.call('HGET', KEYS.held, OWN_FIELD .. holder)
    if entry then
      redis.call('HSET', KEYS.held, OWN_FIELD .. holder, holding_less(entry, n))
    end
  end
  return complete
end

local function release_dead_lanes(now, refused, refused_late, index, has_work, has_extras)
  local moved = { back = {}, cancelled = {}, made_suspects = false }
  local some_hold, more_dead = forget_dead_lanes(now, false)
  if some_hold then
    some_hold, more_dead = forget_dead_lanes(now, sweep(now, refused, refused_late, index, has_work, has_extras, moved))
    if not some_hold then
      redis.call('HDEL', KEYS.meta, 'sweep')
    end
  end
  return some_hold, more_dead, moved.made_suspects, moved.back, moved.cancelled
end
