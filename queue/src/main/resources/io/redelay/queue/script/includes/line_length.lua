-- line_length(index, key): how many messages the line of an ordering key has: the one that has the turn, in any state, and those
-- behind it. Messages that are due later are in no line yet.
--
-- reads    nothing
-- sets     line_length
local function line_length(index, key)
  local holder, line = redis.call('HGET', index.order, key), 'o' .. key
  local has_turn = holder and (redis.call('HEXISTS', index.messages, holder) == 1 or redis.call('ZSCORE', index.dead, holder))
  return (has_turn and 1 or 0) + redis.call('ZLEXCOUNT', index.waiting, '[' .. line .. '\0', '(' .. line .. '\1')
end
