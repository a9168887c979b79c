-- retain(log, packed, max_age, max_count, max_bytes, now): keeps published messages, and drops the oldest ones beyond the bounds, at most
-- a hundred more than are added. An entry has the message as it was given, and how many bytes were ever kept up to its end.
--
-- reads    nothing
-- sets     retain
local function retain(log, packed, max_age, max_count, max_bytes, now)
  local entry_at, added = 1, 0
  local last_entry = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  local total = last_entry and tonumber(last_entry[2][4] or '') or 0
  while entry_at <= #packed do
    local begins = entry_at
    local _
    _, _, entry_at = struct.unpack('>I2c0I4c0', packed, entry_at)
    total = total + entry_at - begins
    redis.call('XADD', log, '*', 'm', string.sub(packed, begins, entry_at - 1), 'b', string.format('%.0f', total))
    added = added + 1
  end

  local excess = max_count > 0 and redis.call('XLEN', log) - max_count or 0
  local dropped
  for _ = 1, added + 100 do
    local entry = redis.call('XRANGE', log, dropped and '(' .. dropped or '-', '+', 'COUNT', 1)[1]
    if not entry then
      break
    end
    local kept = total - (tonumber(entry[2][4]) or total) + #entry[2][2]
    if not (excess > 0 or (max_bytes > 0 and kept > max_bytes)
      or (max_age > 0 and tonumber(string.match(entry[1], '^%d+')) < now - max_age)) then
      break
    end
    dropped, excess = entry[1], excess - 1
  end
  if dropped then
    local next_entry = redis.call('XRANGE', log, '(' .. dropped, '+', 'COUNT', 1)[1]
    if next_entry then
      redis.call('XTRIM', log, 'MINID', next_entry[1])
    else
      redis.call('UNLINK', log)
    end
  end
  if max_age > 0 then
    redis.call('PEXPIRE', log, string.format('%.0f', max_age + 1000))
  else
    redis.call('PERSIST', log)
  end
end
