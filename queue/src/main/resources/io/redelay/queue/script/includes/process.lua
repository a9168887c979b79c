-- How a lane recognises that another process of Redis answers than before: after a restart or a failover, so that Redis may have gone
-- back in time. A lane writes the first digits of the process's run id, and the address of one of its tables, which costs less to
-- read; UNCHECKED before it, if the lane has not yet checked that the other lanes made a request to this process.
--
-- reads    nothing
-- sets     UNCHECKED, PROCESS_AT, process_now, is_this_process

local UNCHECKED = '?'
local PROCESS_AT = 9 -- where the table stands behind the run id

-- process_now(): the text that a lane writes. If the user may not ask for the run id, only the table identifies the process.
local function process_now()
  local info = redis.pcall('INFO', 'server')
  return (type(info) == 'string' and string.match(info, 'run_id:(%x%x%x%x%x%x%x%x)') or 'unasked-') .. tostring(redis)
end

-- is_this_process(written, now_written): whether a text that a lane has written is of the same process as the result of process_now().
local function is_this_process(written, now_written)
  local run, written_table = string.match(written, '^%??(........)(.*)$')
  return run == string.sub(now_written, 1, PROCESS_AT - 1) and (run ~= 'unasked-' or written_table == tostring(redis))
end
