-- Lets a new lane of a consumer take over the messages that an earlier one holds, or held before Redis went back in time. The
-- settlements that Redis has forgotten follow as those of the new lane.
--
-- I3  a repeated request number gets the same reply; a lower one and an unknown lane change nothing. A resumption never opens its
--     lane, so one that arrives long after its time takes nothing.
-- I4  a message that another lane holds stays with it. Of the messages of a lane that died, the new lane takes only those that are
--     still suspects, as no other lane has claimed them since.
-- I9  a message that the earlier lane holds and its consumer does not name was settled, too long ago to be repeated: it is given back.
-- I6  every loop is bounded: by the caller (at most 500 messages), and a place in a list is looked for among the first 5,000.
-- I7  the first write deletes, so that a full Redis lets consumers go on.
--
--@keys-of steer
-- sent is not used
-- past             set of uids that were acknowledged while their send was missing: they are not sent again; @lost if Redis went
--                  back and did not know the earlier lane
-- ARGV[1] lane      ARGV[2] request number    ARGV[3] lease, ms    ARGV[4] the earlier lane
-- ARGV[5] 'back' if Redis went back in time, 'died' if the lease of the earlier lane ran out
-- ARGV[6] '1' if no other request of the resumption follows
-- ARGV[7..] three a message: uid, number of the claim it is held under, 'hold' or, if it comes back then, 'back', or, if it was
--           acknowledged, 'done', or 'more' if something goes together with the acknowledgement: it is held until that arrives, even
--           without a body
-- reply   words: OK, now, how many are delivered again, for they are given back or another lane holds them, the uids that were not
--         taken over
--         GONE, now: the lane is unknown; BEHIND, now: Redis went back in time again; STALE a later request was seen
local messages, ready, suspects, scheduled = KEYS.messages, KEYS.ready, KEYS.suspects, KEYS.scheduled
local held, lanes, dead, past, meta = KEYS.held, KEYS.lanes, KEYS.dead, KEYS.past, KEYS.meta
local lane, lease, former = number, tonumber(ARGV[3]), ARGV[4]
seq = tonumber(ARGV[2])
local went_back = ARGV[5] == 'back'

local memory = redis.call('HGET', held, OWN_FIELD .. lane)
if not memory then
  return 'GONE ' .. stamp
end
local last, count, process, refused_words = string.match(memory, '^(%d+)|(%d+)|([^|]*)|([^|]*)|') -- see lane_entry
last, count = tonumber(last), tonumber(count)
if seq < last then
  return 'STALE'
elseif seq == last then
  return 'OK ' .. stamp .. ' ' .. refused_words
elseif seq > last + 1 then
  return 'BEHIND ' .. stamp
end
redis.call('ZREM', KEYS.sleepers, former) -- no instance would hear it being woken
redis.call('ZADD', lanes, now + lease, lane)

local index = redis.call('HEXISTS', meta, 'keyed') == 1 and index_of(KEYS, KEYS_AT.keys, messages, ready, dead, meta, now) or nil
local remove_from = common.remove_from
local take_turn, finished = common.turn_taker(index, held, remove_from)
-- Whether the lane may have a message that no lane holds; it leaves the place where it waits.
local function is_free(uid, is_done)
  if redis.call('HEXISTS', messages, uid) == 1 then
    local waits = went_back
      and (redis.call('ZREM', scheduled, uid) == 1 or remove_from(ready, uid) or index and index.remove_seats({ uid }) == 1)
    if not waits and not remove_from(suspects, uid) then
      return false
    end
    local attributes = index and redis.call('HGET', index.keys, uid)
    if attributes then
      take_turn(uid, attributes)
    end
    return true
  end
  if not went_back or redis.call('ZSCORE', dead, uid) then
    return false
  end
  local head = redis.call('HGET', meta, 'far')
  if head and far_of().numbers(head) and far_of().line(messages, head, uid) then -- Redis went back to when it was packed
    if is_done then
      common.remove_far(messages, meta, KEYS.far, KEYS.far_chunks, uid)
      local parts = index or index_of(KEYS, KEYS_AT.keys, messages, ready, dead, meta, now)
      parts.scheduled, parts.tries, parts.history, parts.expiries = scheduled, KEYS.tries, KEYS.history, KEYS.expiries
      parts.release_keys({ uid }, true)
      parts.ended({ uid }, parts.attributes_of({ uid }), 'acknowledged')
      common.forget_living(parts, uid)
      common.free_id(KEYS.ids, uid)
    else
      return false -- it is delivered again when it is due
    end
  end
  if is_done then
    redis.call('SADD', past, uid)
    redis.call('PEXPIRE', past, PAST_MS)
    return false
  end
  return true, BODILESS -- it is held without a body, until its sender sends it again
end

for i = 7, #ARGV, 3 do
  finished[ARGV[i]] = ARGV[i + 2] ~= 'hold' and ARGV[i + 2] or nil
end
local moved, again, refused, holdings, any_bodiless = 0, 0, {}, {}, false
for i = 7, #ARGV, 3 do
  local uid, claim = ARGV[i], CLAIM .. ARGV[i + 1]
  local holder = redis.call('HGET', held, uid)
  local mark = holder and string.match(holder, '[' .. SUSPECT .. BODILESS .. ']?$')
  local mine = holder and holder == former .. claim .. mark
  local takes = mine
  if not holder then
    takes, mark = is_free(uid, ARGV[i + 2] == 'done')
  end
  if takes then
    holdings[#holdings + 1] = uid
    holdings[#holdings + 1] = lane .. claim .. (mark or '')
    moved = moved + (mine and 1 or 0)
    any_bodiless = any_bodiless or mark == BODILESS
  else
    refused[#refused + 1] = uid
    if holder and string.sub(holder, 1, #former + 1) ~= former .. CLAIM then
      again = again + 1
    end
  end
end
count = count + #holdings / 2

local entry = redis.call('HGET', held, OWN_FIELD .. former)
if entry then
  entry = holding_less(entry, moved)
  holdings[#holdings + 1] = OWN_FIELD .. former
  holdings[#holdings + 1] = entry
  if ARGV[6] == '1' then
    again = again + (tonumber(string.match(entry, COUNT)) or 0)
    redis.call('ZADD', lanes, 'XX', RETURNS, former) -- see dead_lanes
  end
elseif went_back then
  redis.call('SADD', past, LOST)
  redis.call('PEXPIRE', past, PAST_MS)
end
table.insert(refused, 1, string.format('%d', again))
refused_words = table.concat(refused, ' ')
holdings[#holdings + 1] = OWN_FIELD .. lane
holdings[#holdings + 1] = ARGV[2] .. '|' .. string.format('%d', count) .. '|' .. process .. '|' .. refused_words .. '|'
redis.call('HSET', held, unpack(holdings))
if any_bodiless then -- a claim looks for them while senders may send them
  redis.call('HSET', meta, 'bodiless', string.format('%.0f', now + PAST_MS))
end
if count > 0 then
  redis.call('PERSIST', held)
  redis.call('PERSIST', lanes)
else
  rest(held, lanes)
end
return 'OK ' .. stamp .. ' ' .. refused_words
