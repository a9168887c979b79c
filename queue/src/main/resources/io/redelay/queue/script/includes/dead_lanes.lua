-- How a claim finds the messages that dead lanes hold, in bounded steps. some_hold: whether some dead lanes left hold messages;
-- more_dead: whether there are more dead lanes to check.
--
-- reads    BODILESS, COUNT, HOLDS_NOTHING, OWN_FIELD, OWN_FIELD_BYTE, RETURNS, SUSPECT, cancelled, counts, forget, free_ids, has_work, held, index, lanes, messages, meta, now, ready, refused_late, suspects, tries
-- changes  cancelled_uids, came_back, has_extras, made_suspects, more_dead, refused, some_hold
-- sets     nothing

-- Removes the dead lanes that hold nothing, or all of them. Gives whether some are left that hold messages, and whether
-- there are more to check.
local function forget_dead_lanes(all)
  local dead_lanes = redis.call('ZRANGEBYSCORE', lanes, '-inf', now, 'LIMIT', 0, 100)
  if #dead_lanes == 0 then
    return false, false
  end
  local fields, forgotten, forgotten_fields = {}, {}, {}
  for n, name in ipairs(dead_lanes) do
    fields[n] = OWN_FIELD .. name
  end
  for n, entry in ipairs(redis.call('HMGET', held, unpack(fields))) do
    if all or not entry or string.match(entry, HOLDS_NOTHING) or not string.match(entry, COUNT) then
      forgotten[#forgotten + 1] = dead_lanes[n]
      forgotten_fields[#forgotten_fields + 1] = fields[n]
    end
  end
  if #forgotten > 0 then
    redis.call('HDEL', held, unpack(forgotten_fields))
    redis.call('ZREM', lanes, unpack(forgotten))
  end
  return #forgotten < #dead_lanes, #dead_lanes == 100
end

-- A late acknowledgement counts after all.
local function accept_late(uid)
  for n, other in ipairs(refused) do
    if other == uid then
      table.remove(refused, n)
      return
    end
  end
end

--@paste holding_less
-- One bounded step through `held`: messages that dead lanes hold become suspects, but for those that a consumer gives back. Gives
-- whether all of `held` was seen. A pass may begin anywhere and may miss some (a restart of Redis gives the cursor another meaning):
-- a lane is only removed when its count says that it holds nothing. One that renews itself meanwhile keeps what it still holds.
local function sweep()
  local complete = redis.call('HLEN', held) <= 512
  local entries
  if complete then
    entries = redis.call('HGETALL', held)
  else
    local page = redis.call('HSCAN', held, redis.call('HGET', meta, 'sweep') or '0', 'COUNT', 512)
    redis.call('HSET', meta, 'sweep', page[1])
    entries = page[2]
  end
  local has_cancelled = redis.call('EXISTS', cancelled) == 1
  local is_dead, gives_back, lost = {}, {}, {} -- by lane; lost: how many of its messages
  local returned, released_uids, done = {}, {}, {}
  for i = 1, #entries, 2 do
    local uid = entries[i]
    if string.byte(uid) ~= OWN_FIELD_BYTE then
      -- An entry of another version is held by the lane that it names; if that is no lane, the message becomes a suspect.
      local holder, mark = string.match(entries[i + 1], '^([^/]*)/?%d*(.?)')
      if is_dead[holder] == nil then
        local deadline = redis.call('ZSCORE', lanes, holder)
        is_dead[holder] = not deadline or tonumber(deadline) <= now
        gives_back[holder] = deadline == RETURNS
      end
      if is_dead[holder] and redis.call('HDEL', held, uid) == 1 then -- a page may give an entry twice
        lost[holder] = (lost[holder] or 0) + 1
        released_uids[#released_uids + 1] = uid
        if refused_late[uid] or has_cancelled and redis.call('SISMEMBER', cancelled, uid) == 1 then
          if refused_late[uid] then
            accept_late(uid)
          else
            cancelled_uids[#cancelled_uids + 1] = uid
          end
          free_ids({ uid })
          forget({ uid })
          --@keyed
          if has_work then
            index.forget_work({ uid })
          end
          --@end
          --@keyed
          if index then
            index.give_up_keys({ uid }, refused_late[uid])
          end
          --@end
          redis.call('HDEL', messages, uid)
          done[#done + 1] = uid
        elseif mark == BODILESS then
          -- It has no body: a repeated send makes it ready.
          --@keyed
          if has_work then
            index.forget_work({ uid })
          end
          --@end
        elseif gives_back[holder] and mark ~= SUSPECT then
          returned[#returned + 1] = uid
          came_back[#came_back + 1] = uid
        else
          redis.call('RPUSH', suspects, uid)
          came_back[#came_back + 1] = uid
          if mark == SUSPECT and not gives_back[holder] then
            local failures, crashes, trace = counts(redis.call('HGET', tries, uid))
            redis.call('HSET', tries, uid, failures .. '/' .. (crashes or 0) + 1 .. trace)
          end
          made_suspects, has_extras = true, true
        end
      end
    end
  end
  table.sort(returned) -- in about the order in which they were sent
  if index then
    table.sort(done)
    index.released(index.attributes_of(released_uids))
    index.ended(cancelled_uids, index.attributes_of(cancelled_uids), 'cancelled')
    index.ended(done, index.attributes_of(done), 'acknowledged')
    index.place(returned, true)
  else
    for n = #returned, 1, -1 do
      redis.call('LPUSH', ready, returned[n])
    end
  end
  for holder, n in pairs(lost) do
    local entry = redis.call('HGET', held, OWN_FIELD .. holder)
    if entry then
      redis.call('HSET', held, OWN_FIELD .. holder, holding_less(entry, n))
    end
  end
  return complete
end

some_hold, more_dead = forget_dead_lanes(false)
if some_hold then
  some_hold, more_dead = forget_dead_lanes(sweep())
  if not some_hold then
    redis.call('HDEL', meta, 'sweep')
  end
end
