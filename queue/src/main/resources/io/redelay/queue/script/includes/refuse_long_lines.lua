-- Refuses all if one of the messages would join a line of its ordering key that is as long as it may be. A message that is due later
-- does not join yet, and one that was handed over before, or is a duplicate or twice in the request, is not added.
--
-- reads    KEYS.handed, adds_with_key, due_time, index, line, line_length, messages_in, now, packed, passed_over, rules, stamp, twin
-- sets     nothing
-- ends     with FULL
local lines, seen, seen_keys, seen_uids = {}, {}, {}, {}
for position, body, uid, when, id, attributes in messages_in(packed) do
  local key = attributes and string.match(attributes, index.ORDERING_KEY) or ''
  local adds = not passed_over[uid] and not (KEYS.handed and seen_uids[uid])
  seen_uids[uid] = true
  if adds and rules[position] then
    adds = adds_with_key(rules[position], body, seen_keys, {}) > 0
  elseif adds and id ~= '' then
    adds = not seen[id] and not twin(id)
    seen[id] = true
  end
  if adds and key ~= '' and due_time(when, now) <= now then
    lines[key] = (lines[key] or line_length(index, key)) + 1
    if lines[key] > line then
      return string.format('FULL %s %d %d', stamp, lines[key] - 1, position)
    end
  end
end
