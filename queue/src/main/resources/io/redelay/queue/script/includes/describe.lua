-- describe(reply, uid, now): appends values of a message, if it is there: its uid, id, state, due time if it is scheduled or time of
-- death or completion, failures/crashes, lane that holds it, or if it is packed its chunk as state_of gives it, '1' if it was cancelled, envelope unless it is packed,
-- cause if it is dead, history, the queue it is being forwarded to, result, and the progress, log and checkpoint that its handlers keep. Gives the bytes of those values that
-- can be long.
--
--@keys-of find
-- reads    state_of
-- sets     describe
local works -- whether handlers recorded something of living messages; looked up once

local function describe(reply, uid, now)
  local state, due, chunk = state_of(uid, now)
  if state == 'UNKNOWN' then
    return 0
  end
  local is_dead = state == 'DEAD'
  local body, cause, target, id, result, lines
  local recorded = {} -- progress, log and checkpoint
  if is_dead then
    due = redis.call('ZSCORE', KEYS.dead, uid)
    local dead_as = redis.call('HMGET', KEYS.dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to', uid .. '/progress',
      uid .. '/log', uid .. '/checkpoint')
    body, cause, lines, target = dead_as[1], dead_as[2], dead_as[3], dead_as[4]
    recorded = { dead_as[5], dead_as[6], dead_as[7] }
  elseif state == 'COMPLETED' then
    due = redis.call('ZSCORE', KEYS.completed, uid)
    local kept = redis.call('HMGET', KEYS.completed_messages, uid, uid .. '/id', uid .. '/result', uid .. '/progress', uid .. '/log')
    body, id, result = kept[1], kept[2], kept[3]
    recorded = { kept[4], kept[5] }
  else
    body = redis.call('HGET', KEYS.messages, uid)
    lines = redis.call('HGET', KEYS.history, uid)
    if works == nil then
      works = redis.call('EXISTS', KEYS.work) == 1
    end
    recorded = works and redis.call('HMGET', KEYS.work, uid .. '/progress', uid .. '/log', uid .. '/checkpoint') or recorded
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = uid, id or redis.call('HGET', KEYS.ids, 'u:' .. uid) or uid, state
  reply[n + 4], reply[n + 5] = due or '', redis.call('HGET', KEYS.tries, uid) or ''
  reply[n + 6] = state == 'IN_FLIGHT' and redis.call('HGET', KEYS.held, uid) or chunk or ''
  reply[n + 7] = state == 'IN_FLIGHT' and redis.call('SISMEMBER', KEYS.cancelled, uid) == 1 and '1' or ''
  body, cause, lines, result = body or '', cause or '', lines or '', result or ''
  reply[n + 8], reply[n + 9], reply[n + 10], reply[n + 11] = body, cause, lines, target or ''
  reply[n + 12] = result
  local bytes = #body + #cause + #lines + #result
  for i = 1, 3 do
    reply[n + 12 + i] = recorded[i] or ''
    bytes = bytes + #reply[n + 12 + i]
  end
  return bytes
end
