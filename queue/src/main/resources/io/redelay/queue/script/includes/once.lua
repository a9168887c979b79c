-- first_reply(sent, seq, stamp): the reply to a request that is not to be carried out, else nil: its lane is unknown (GONE) or behind
-- (BEHIND), or it is late (STALE) or repeated, and then it gets its first reply. A number that is ahead of the last one by more than
-- one shows that Redis went back in time: answered requests are missing (I9). sent: the key with the lane's memory.
-- remember(sent, number, reply, memory_ms): remembers the reply in case the request is repeated. memory_ms: for how long; '' leaves
-- that as it was, which costs Redis less.
--
-- reads    nothing
-- sets     first_reply, remember
local function first_reply(sent, seq, stamp)
  local memory = redis.call('GET', sent)
  if not memory then
    return 'GONE ' .. stamp
  end
  local last = tonumber(string.match(memory, '^%d+'))
  if seq <= last then
    return seq == last and string.match(memory, ' (.*)$') or 'STALE'
  elseif seq > last + 1 then
    return 'BEHIND ' .. stamp
  end
end

local function remember(sent, number, reply, memory_ms)
  if memory_ms == '' then
    redis.call('SET', sent, number .. ' ' .. reply, 'KEEPTTL')
  else
    redis.call('SET', sent, number .. ' ' .. reply, 'PX', memory_ms)
  end
end
