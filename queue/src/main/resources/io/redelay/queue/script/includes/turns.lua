-- How groups take turns. A group is the level of its messages followed by their fairness key. Its score in turns is the base of its
-- level and the round it is in: the lowest goes first, so levels are strict; in a level the group with fewer rounds does. Level 'a',
-- where priorities age, counts as that of plain messages.
--
-- reads    call_all
-- changes  index
-- sets     nothing

-- join(groups): has groups take turns, unless they do, or are blocked. They join at the end of the present round of their level, so
-- that a group with one message at a time neither gains nor loses.
index.join = function(groups)
  local blocks = redis.call('EXISTS', index.blocked) == 1 and redis.call('ZMSCORE', index.blocked, unpack(groups)) or {}
  local NEXT = 63 / 64 -- a round later, before those that were served in this one; a fraction that adds up without an error
  local last, entries = {}, {}
  for i, score in ipairs(redis.call('ZMSCORE', index.turns, unpack(groups))) do
    if not score and not blocks[i] then
      local level = tonumber(string.sub(groups[i], 1, 1)) or tonumber(index.PLAIN)
      if not last[level] then
        local base, next_base = level * index.ROUNDS, (level + 1) * index.ROUNDS
        local first = redis.call('ZRANGEBYSCORE', index.turns, base, '(' .. next_base, 'WITHSCORES', 'LIMIT', 0, 1)[2]
        last[level] = string.format('%.17g', first and tonumber(first) + NEXT or base) -- once, as it is written out for each
      end
      local n = #entries
      entries[n + 1], entries[n + 2] = last[level], groups[i]
    end
  end
  call_all('ZADD', index.turns, entries)
end
