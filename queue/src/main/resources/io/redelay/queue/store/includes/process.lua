-- How a lane knows that another process of Redis answers than before: after a restart or a failover, so that Redis may have gone back in
-- time. What a lane writes of the process is the first digits of its run id, and where it keeps a table, which costs less to ask
-- for; UNCHECKED before it, if the lane has not seen yet what the other lanes have said to this process.
--
-- reads    nothing
-- sets     UNCHECKED, PROCESS_AT, process_now, is_this_process

local UNCHECKED = '?'
local PROCESS_AT = 9 -- where the table stands behind the run id

-- process_now(): what a lane writes. Of a user that may not ask for the run id the table says all.
local function process_now()
  local told = redis.pcall('INFO', 'server')
  return (type(told) == 'string' and string.match(told, 'run_id:(%x%x%x%x%x%x%x%x)') or 'unasked-') .. tostring(redis)
end

-- is_this_process(written, now_written): whether what a lane has written is of the process of which process_now() gave the other.
local function is_this_process(written, now_written)
  local run, table_told = string.match(written, '^%??(........)(.*)$')
  return run == string.sub(now_written, 1, PROCESS_AT - 1) and (run ~= 'unasked-' or table_told == tostring(redis))
end
