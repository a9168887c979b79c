-- take_rows(index, taken, most, room, give): takes, behind each message in taken that has the turn of an ordering key, those that
-- wait behind it in the line of that key, for the same lane: at most `most` of a key, and so many of all keys together as there is
-- room for. They are the row of that key, of which `order` has the uids: the lane handles them one after the other. give(uids, marks)
-- adds those that have a body to taken. Gives by uid the mark with which deliver names the message whose row it is.
--
-- A tick reads the state that the one before it has saved, so it has no row.
--
-- I6  at most one line is read for each message in taken, and no more of all lines than there is room for.
--
-- reads    nothing
-- sets     take_rows
local function take_rows(index, taken, most, room, give)
  local uids, marks, members, keys, first, rows, key_of, given = {}, {}, {}, {}, {}, {}, {}, {}
  for i, attributes in ipairs(index.attributes_of(taken)) do
    local key = attributes and string.match(attributes, index.ORDERING_KEY) or ''
    if key ~= '' and string.sub(key, 1, 10) ~= 'recurring:' then
      keys[#keys + 1], first[#first + 1] = key, taken[i]
    end
  end
  local share = math.min(most, math.floor(room / #keys))
  for i, turn in ipairs(#keys > 0 and share > 0 and redis.call('HMGET', index.order, unpack(keys)) or {}) do
    local line = 'o' .. keys[i]
    if turn == first[i] then -- and no lane holds others of its row
      for _, member in ipairs(redis.call('ZRANGEBYLEX', index.waiting, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, share)) do
        local uid = string.sub(member, #line + 33)
        uids[#uids + 1], members[#members + 1] = uid, member
        marks[uid], key_of[uid] = '>' .. turn, keys[i]
      end
    end
  end
  if #uids > 0 then
    local before, row = #taken, nil
    give(uids, marks)
    for i = before + 1, #taken do
      local uid = taken[i]
      if key_of[uid] ~= key_of[given[#given]] then
        row = { string.sub(marks[uid], 2) }
        rows[#rows + 1], rows[#rows + 2] = key_of[uid], row
      end
      given[#given + 1], row[#row + 1] = uid, uid
    end
    for i = 2, #rows, 2 do
      rows[i] = table.concat(rows[i], ' ')
    end
    if rows[1] then
      redis.call('HSET', index.order, unpack(rows))
    end
    redis.call('ZREM', index.waiting, unpack(members))
    redis.call('HDEL', index.seats, unpack(uids))
    index.count_claimed(index.attributes_of(given))
  end
  return marks
end
