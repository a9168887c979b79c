-- note(history, uid, line): adds a line to the history of the message's attempts; the last ten are kept.
--
-- reads    nothing
-- sets     note
local function note(history, uid, line)
  local lines = redis.call('HGET', history, uid)
  if lines then
    line = lines .. '\n' .. line
    local _, breaks = string.gsub(line, '\n', '')
    for _ = 10, breaks do
      line = string.sub(line, string.find(line, '\n', 1, true) + 1)
    end
  end
  redis.call('HSET', history, uid, line)
end
