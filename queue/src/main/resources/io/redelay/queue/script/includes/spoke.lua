-- A lane that is renewed without a claim has nothing to resume at this process of Redis, so other lanes need not wait for it. It
-- checks the other lanes itself with its next claim. See await_lanes.
--
-- reads    OWN_FIELD, held, lane, memory
-- sets     nothing
if not string.find(memory, tostring(redis), 1, true) then
  --@paste process
  local before, written, after = string.match(memory, '^(%d+|%d+|)([^|]*)(|[^|]*|.*)$')
  if before then
    local here = process_now()
    -- SCRIPT FLUSH moves the table, and is no other process.
    local has_looked = string.byte(written) ~= string.byte(UNCHECKED) and is_this_process(written, here)
    redis.call('HSET', held, OWN_FIELD .. lane, before .. (has_looked and '' or UNCHECKED) .. here .. after)
  end
end
