-- line_length(index, key): how many messages the line of an ordering key has: the one that has the turn, in any state, and those
-- behind it. Messages that are due later are in no line yet.
--
-- reads    nothing
-- sets     line_length
local function line_length(index, key)
  local line, row = 'o' .. key, redis.call('HGET', index.order, key) or ''
  local holder, _, others = string.match(row, '^%S*'), string.gsub(row, ' ', '')
  local has_turn = redis.call('HEXISTS', index.messages, holder) == 1 or redis.call('ZSCORE', index.dead, holder)
  return (has_turn and 1 + others or 0) + redis.call('ZLEXCOUNT', index.waiting, '[' .. line .. '\0', '(' .. line .. '\1')
end
