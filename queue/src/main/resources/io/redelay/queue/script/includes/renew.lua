-- renew(lane, lease, memory, now): renews the lease of a living lane, and so of all messages that it holds. memory: the lane's record.
-- shared:held is not given unless the listener shares a limit with others; see shared_limits. A lane that is renewed without a claim has
-- nothing to resume at this process of Redis, so other lanes need not wait for it. It checks the other lanes itself with its next
-- claim; see await_lanes.
--
-- reads    KEYS.held, KEYS.lanes, KEYS.shared_held, OWN_FIELD
-- sets     renew
--@include rest
local function renew(lane, lease, memory, now)
  local held, lanes, shared_held = KEYS.held, KEYS.lanes, KEYS.shared_held
  redis.call('ZREM', lanes, '') -- deletes nothing
  redis.call('ZADD', lanes, 'XX', 'GT', now + lease, lane)
  if shared_held then
    local n = string.match(redis.call('HGET', shared_held, held) or '', '^%d+ ')
    if n then
      redis.call('HSET', shared_held, held, n .. redis.call('ZRANGE', lanes, '-1', '-1', 'WITHSCORES')[2])
    end
  end
  if redis.call('PTTL', lanes) >= 0 then
    rest(held, lanes)
  end
  if not string.find(memory, tostring(redis), 1, true) then
    local before, written, after = string.match(memory, '^(%d+|%d+|)([^|]*)(|[^|]*|.*)$')
    if before then
      --@include same_process
      local here = process_now()
      -- SCRIPT FLUSH moves the table, and is no other process.
      local has_looked = string.byte(written) ~= string.byte(UNCHECKED) and is_this_process(written, here)
      redis.call('HSET', held, OWN_FIELD .. lane, before .. (has_looked and '' or UNCHECKED) .. here .. after)
    end
  end
end
