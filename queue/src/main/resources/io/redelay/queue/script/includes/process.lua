-- How a lane writes which process of Redis has answered it: the first digits of the process's run id, and the address of one of its
-- tables, which costs less to read; UNCHECKED before it, if the lane has not yet checked that the other lanes made a request to this
-- process.
--
-- reads    nothing
-- sets     UNCHECKED, process_now

local UNCHECKED = '?'

-- process_now(): the text that a lane writes. If the user may not ask for the run id, only the table identifies the process.
local function process_now()
  local info = redis.pcall('INFO', 'server')
  return (type(info) == 'string' and string.match(info, 'run_id:(%x%x%x%x%x%x%x%x)') or 'unasked-') .. tostring(redis)
end
