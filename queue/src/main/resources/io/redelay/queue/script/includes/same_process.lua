-- How a lane recognises that another process of Redis answers than before: after a restart or a failover, so that Redis may have gone
-- back in time.
-- is_this_process(written, now_written): whether a text that a lane has written is of the same process as the result of process_now().
--
-- reads    nothing
-- sets     UNCHECKED, is_this_process, process_now
--@include process
local function is_this_process(written, now_written)
  local run, written_table = string.match(written, '^%??(........)(.*)$')
  return run == string.sub(now_written, 1, 8) and (run ~= 'unasked-' or written_table == tostring(redis))
end
