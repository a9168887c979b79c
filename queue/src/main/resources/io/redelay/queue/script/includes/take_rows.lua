-- take_rows(index, taken, most, room): takes, behind each message in taken that has the turn of an ordering key, those that wait behind it
-- in the line of that key, for the same lane: at most `most` of a key, and so many of all keys together as there is room for.
-- They are the row of that key, of which `order` has the uids: the lane handles them one after the other. Gives their uids, and by uid
-- the mark with which deliver names the message whose row it is.
--
-- A tick reads the state that the one before it has saved, so it has no row.
--
-- I6  at most one line is read for each message in taken, and no more of all lines than there is room for.
--
-- reads    nothing
-- sets     take_rows
local function take_rows(index, taken, most, room)
  local uids, marks, members, keys, first, rows = {}, {}, {}, {}, {}, {}
  for i, attributes in ipairs(index.attributes_of(taken)) do
    local key = attributes and string.match(attributes, index.ORDERING_KEY) or ''
    if key ~= '' and string.sub(key, 1, 10) ~= 'recurring:' then
      keys[#keys + 1], first[#first + 1] = key, taken[i]
    end
  end
  local share = math.min(most, math.floor(room / #keys))
  for i, turn in ipairs(#keys > 0 and share > 0 and redis.call('HMGET', index.order, unpack(keys)) or {}) do
    local line, row = 'o' .. keys[i], { turn }
    if turn == first[i] then -- and no lane holds others of its row
      for _, member in ipairs(redis.call('ZRANGEBYLEX', index.waiting, '[' .. line .. '\0', '(' .. line .. '\1', 'LIMIT', 0, share)) do
        local uid = string.sub(member, #line + 33)
        row[#row + 1], uids[#uids + 1], members[#members + 1] = uid, uid, member
        marks[uid] = '>' .. turn
      end
    end
    if row[2] then
      rows[#rows + 1] = keys[i]
      rows[#rows + 1] = table.concat(row, ' ')
    end
  end
  if #uids > 0 then
    redis.call('HSET', index.order, unpack(rows))
    redis.call('ZREM', index.waiting, unpack(members))
    redis.call('HDEL', index.seats, unpack(uids))
    index.count_claimed(index.attributes_of(uids))
  end
  return uids, marks
end
