-- set_limits(index, by, changes, stamp): sets limits of the queue that hold for all instances, or removes them. by: the display name of
-- the instance that asked for it. changes: words as claim.lua has them for the limits of a listener, and l=<count> for how long the
-- line of an ordering key may be; - in place of a value removes the limit. Keys that were blocked take turns again, a thousand groups at
-- most: others do when their time comes, or when one of their messages is released. Words of a later version stay as they are. Gives
-- whether anything changed.
--
-- reads    nothing
-- sets     set_limits

local function unblock_groups(index)
  local MOST_GROUPS = 1000
  local keys, known = {}, {}
  for _, group in ipairs(redis.call('ZRANGE', index.blocked, 0, MOST_GROUPS - 1)) do
    local key = string.sub(group, 2)
    if not known[key] then
      keys[#keys + 1], known[key] = key, true
    end
  end
  index.unblock(keys, true)
end

local function set_or_remove(meta, field, value)
  if value and value ~= '' then
    redis.call('HSET', meta, field, value)
  else
    redis.call('HDEL', meta, field)
  end
end

local function set_limits(index, by, changes, stamp)
  local before = redis.call('HMGET', index.meta, 'limits', 'line')
  local NAMES = { q = true, m = true, kq = true, km = true }
  local limits, others, changed = {}, {}, false
  for word in string.gmatch(before[1] or '', '%S+') do
    local name, value = string.match(word, '^(%l+)=(.+)$')
    if NAMES[name] then
      limits[name] = value
    else
      others[#others + 1] = word
    end
  end
  limits.l = before[2] or nil
  for name, word in string.gmatch(changes, '(%l+)=(%S+)') do
    local value = word ~= '-' and word or nil
    changed = changed or limits[name] ~= value
    limits[name] = value
  end
  if not changed then
    return false
  end
  local words = {}
  for _, name in ipairs({ 'q', 'm', 'kq', 'km' }) do
    if limits[name] then
      words[#words + 1] = name .. '=' .. limits[name]
    end
  end
  for _, word in ipairs(others) do
    words[#words + 1] = word
  end
  local are_some = #words > 0 or limits.l
  set_or_remove(index.meta, 'limits', table.concat(words, ' '))
  set_or_remove(index.meta, 'line', limits.l)
  set_or_remove(index.meta, 'limited', are_some and stamp .. ' ' .. by)
  unblock_groups(index)
  return true
end
