-- How the keys of messages that are deduplicated are kept. dedup has of each key, by its name (f: first wins, d: debounce, a: gather,
-- and the key), the uid of the message that has it, and behind a blank of
--   f: its id, if it has one       d: when the first one was sent       a: when it is due, a blank, how many payloads it has,
--                                                                     and, if each restarts the wait, a blank and until when at most
-- and of each living message that was sent with a key: u:<uid> -> that name; and of one in which payloads gather m:<uid> -> the
-- uids of those that were gathered, and of each of these g:<its uid> -> 1. dedup_expiries has the names by when they end: +inf for
-- those that end with their message. Both keys expire when the last name has ended.
--
-- reads    nothing
-- changes  index
-- sets     nothing

-- owner_of(entry): the uid of the message that has a key.
index.owner_of = function(entry)
  return entry and string.match(entry, '^%S+')
end

-- expire_dedup(): lets both keys expire when no message needs them any more.
index.expire_dedup = function()
  local last = redis.call('ZRANGE', index.dedup_expiries, -1, -1, 'WITHSCORES')[2]
  if last == 'inf' then
    redis.call('PERSIST', index.dedup)
    redis.call('PERSIST', index.dedup_expiries)
  elseif last then
    local expiry = string.format('%.0f', last)
    redis.call('PEXPIREAT', index.dedup, expiry)
    redis.call('PEXPIREAT', index.dedup_expiries, expiry)
  end
end

-- release_keys(uids, handled): frees the keys of messages that are gone. Of a handled one, a key that the first wins stays
-- until its window is over.
index.release_keys = function(uids, handled)
  if #uids == 0 or redis.call('EXISTS', index.dedup) == 0 then
    return
  end
  local FIRST_WINS_BYTE = 102 -- f
  local fields, any = {}, false
  for n, uid in ipairs(uids) do
    fields[n] = 'u:' .. uid
  end
  for n, name in ipairs(redis.call('HMGET', index.dedup, unpack(fields))) do
    if name then
      any = true
      local uid, over = uids[n], { fields[n] }
      if string.byte(name) == index.GATHERS_BYTE then
        over[2] = 'm:' .. uid
        for member in string.gmatch(redis.call('HGET', index.dedup, over[2]) or '', '%S+') do
          over[#over + 1] = 'g:' .. member
        end
      end
      if not (handled and string.byte(name) == FIRST_WINS_BYTE) and index.owner_of(redis.call('HGET', index.dedup, name)) == uid then
        over[#over + 1] = name
        redis.call('ZREM', index.dedup_expiries, name)
      end
      redis.call('HDEL', index.dedup, unpack(over))
    end
  end
  if any then
    index.expire_dedup()
  end
end

-- move_key(uid, fresh): a message that gets a new uid keeps its key.
index.move_key = function(uid, fresh)
  local name = redis.call('HGET', index.dedup, 'u:' .. uid)
  if not name then
    return
  end
  local entry, members = redis.call('HGET', index.dedup, name), redis.call('HGET', index.dedup, 'm:' .. uid)
  redis.call('HDEL', index.dedup, 'u:' .. uid, 'm:' .. uid)
  redis.call('HSET', index.dedup, 'u:' .. fresh, name)
  if members then
    redis.call('HSET', index.dedup, 'm:' .. fresh, members)
  end
  if index.owner_of(entry) == uid then
    redis.call('HSET', index.dedup, name, fresh .. string.sub(entry, #uid + 1))
  end
end
