-- turn_taker(index, held, remove_from): gives take_turn(uid, attributes): a message is held because its listener has it, although
-- Redis went back: from now on it counts as held, and has the turn of its key. The message that had the turn waits in the line then,
-- unless a lane holds it. Gives also finished, by uid: a message in it was handled, and is held until its acknowledgement arrives: it
-- takes the turn from no other message, and delays none. Nor does one that comes back, 'back' there: it joins the row of its key. Of
-- a row the last one is to be given first.
--
-- reads    nothing
-- sets     turn_taker
local function turn_taker(index, held, remove_from)
  local taken_now = {} -- by uid; these are held, too, when the script ends
  local finished = {}
  local function take_turn(uid, attributes)
    taken_now[uid] = true
    index.count_claimed({ attributes })
    local key = index.traits(attributes).ordering_key
    local holder, behind = string.match(key ~= '' and redis.call('HGET', index.order, key) or '', '^(%S+)(.*)$')
    local others = behind and string.gsub(behind, ' %S+', { [' ' .. uid] = '' }) -- Redis may have gone back to a row with it
    if holder and holder ~= uid and finished[uid] == 'back' and others == behind then
      redis.call('HSET', index.order, key, holder .. ' ' .. uid .. behind)
    end
    if key == '' or finished[uid] and holder then
      return
    end
    if holder and holder ~= uid and not finished[holder] and (taken_now[holder] or redis.call('HEXISTS', held, holder) == 1) then
      return
    end
    redis.call('HSET', index.order, key, uid .. (others or ''))
    if holder and holder ~= uid and (index.remove_seats({ holder }) == 1 or remove_from(index.ready, holder)) then
      index.place({ holder }, true)
    end
  end
  return take_turn, finished
end
