-- append_log(uid, section): appends lines to the kept log of a message, and drops the oldest ones beyond the bounds.
-- Safe to repeat: a delivery numbers its lines, so that those that are there are passed over. Lines that it dropped before it wrote
-- show as a gap in the numbers, and count as dropped.
--
-- A section has '<delivery> <number of the first line, from 0> <lines> <most lines> <most bytes>', a line feed, and the lines,
-- each as '<length>:<line>'. The field <uid>/log has '<delivery> <number of the next line> <dropped> <kept>', a line feed, and
-- the lines that are kept, of earlier deliveries as well.
--
-- reads    KEYS.work
-- sets     append_log

-- after_lines(text, at, n): where the n-th line after the one at a place begins, in n steps.
local function after_lines(text, at, n)
  for _ = 1, n do
    local length, begins = string.match(text, '^(%d+):()', at)
    if not length then
      return #text + 1
    end
    at = begins + tonumber(length)
  end
  return at
end

local function append_log(uid, section)
  local delivery, first, n, most, most_bytes, from = string.match(section, '^(%S+) (%d+) (%d+) (%d+) (%d+)\n()')
  first, n, most, most_bytes = tonumber(first), tonumber(n), tonumber(most), tonumber(most_bytes)
  local log = redis.call('HGET', KEYS.work, uid .. '/log') or ''
  local writer, next_number, dropped, kept, begins = string.match(log, '^(%S+) (%d+) (%d+) (%d+)\n()')
  next_number = writer == delivery and tonumber(next_number) or 0
  dropped, kept, log = tonumber(dropped or 0), tonumber(kept or 0), string.sub(log, begins or #log + 1)
  local known = math.max(0, next_number - first)
  if known >= n then
    return
  end
  dropped, kept = dropped + math.max(0, first - next_number), kept + n - known
  log = log .. string.sub(section, after_lines(section, from, known))
  local at = 1
  while kept > 0 and (kept > most or #log - at + 1 > most_bytes) do
    at, kept, dropped = after_lines(log, at, 1), kept - 1, dropped + 1
  end
  redis.call('HSET', KEYS.work, uid .. '/log',
    delivery .. ' ' .. string.format('%d %d %d\n', first + n, dropped, kept) .. string.sub(log, at))
end
