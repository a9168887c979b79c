-- Removes messages in a state, in bounded steps. A scheduled message that is due counts as ready. A dead one that is being forwarded
-- to another queue stays.
--
-- I3  a repeated request number gets the same reply and changes nothing; a lower one and an unknown lane change nothing.
-- I7  the first write deletes, whether there is something to remove or not: a full Redis can be emptied.
--
--@keys-of steer
-- ARGV[1] request number    ARGV[2] how long an unused lane is remembered, ms
-- ARGV[3] state: 'SCHEDULED', 'READY', 'DEAD' or 'COMPLETED'    ARGV[4] how many at most, up to 1,000
-- ARGV[5] wake channel, without the instance    ARGV[6] '1' to list those that were removed, else '0'
-- reply   words: OK, now, how many were removed, 1 if there may be more, 2 if no living one is left, 3 if all that are left are packed
--         (see thaw), or 0, and, if ARGV[6] asks for
--         them, their uids
--         GONE, now: the lane is unknown; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was done
local state, most = ARGV[3], tonumber(ARGV[4])
channel = ARGV[5]
redis.call('ZREM', dead, '') -- deletes nothing

local PACKED = '3'
local uids = {}
local removed, removed_uids = 0, {}
if state == 'READY' then
  uids = redis.call('LPOP', suspects, most) or {}
  -- Lines and groups before ready, so that no message gets its turn by that.
  for _, member in ipairs(#uids < most and redis.call('ZRANGE', index.waiting, 0, most - #uids - 1) or {}) do
    local line_ends = string.find(member, '\0', 1, true)
    if line_ends then
      uids[#uids + 1] = string.sub(member, line_ends + 32)
    else
      redis.call('ZREM', index.waiting, member) -- it is no message's seat
    end
  end
  for _, uid in ipairs(#uids < most and redis.call('LPOP', ready, most - #uids) or {}) do
    uids[#uids + 1] = uid
  end
  for _, uid in ipairs(redis.call('ZRANGEBYSCORE', scheduled, '-inf', now, 'LIMIT', 0, most - #uids)) do
    uids[#uids + 1] = uid
  end
elseif state == 'DEAD' then
  local seen = 0
  for _ = 1, 10 do -- pages, for messages that are being forwarded are passed over
    local page, marks = redis.call('ZRANGE', dead, seen, seen + 999), {}
    if #page == 0 or #uids == most then
      break
    end
    seen = seen + #page
    for i, uid in ipairs(page) do
      marks[i] = uid .. '/to'
    end
    for i, target in ipairs(redis.call('HMGET', dead_messages, unpack(marks))) do
      if not target and #uids < most then
        uids[#uids + 1] = page[i]
      end
    end
  end
elseif state == 'COMPLETED' then
  uids = redis.call('ZRANGE', completed, 0, most - 1)
else
  uids = redis.call('ZRANGEBYSCORE', scheduled, '(' .. stamp, '+inf', 'LIMIT', 0, most)
end
if state ~= 'DEAD' and state ~= 'COMPLETED' then
  index.release_keys(uids, false)
  index.ended(uids, index.attributes_of(uids), 'purged')
end
for _, uid in ipairs(uids) do
  if state == 'DEAD' then
    common.forget_dead(kept_dead, index, ids, dead_ids, uid)
    removed = removed + 1
    removed_uids[removed] = uid
    common.free_id(ids, uid)
  elseif state == 'COMPLETED' then
    completed_kept.forget({ uid })
    removed = removed + 1
    removed_uids[removed] = uid
  else
    if redis.call('HEXISTS', messages, uid) == 1 then
      removed = removed + 1
      removed_uids[removed] = uid
    end
    common.forget_living(index, uid)
    common.free_id(ids, uid)
  end
end
local is_empty = forget_emptied(index, held, lanes, suspects)
local has_emptied = is_empty and removed > 0 and state ~= 'DEAD' and state ~= 'COMPLETED'
words[3] = string.format('%d', removed)
local are_packed = state == 'SCHEDULED' and redis.call('HEXISTS', meta, 'far') == 1
words[4] = has_emptied and '2' or #uids == most and '1' or are_packed and PACKED or '0'
if ARGV[6] == '1' and removed > 0 then
  words[5] = table.concat(removed_uids, ' ')
end
