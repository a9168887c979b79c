-- Data of dead messages: envelopes, causes, histories and handlers' records; see kept.
--
-- reads    dead, dead_messages, kept_of, now
-- sets     keep_dead, kept_dead
local kept_dead = kept_of(dead_messages, { '/cause', '/history' }, { '/checkpoint', '/progress', '/log' })

-- keep_dead(uid, body, cause, lines, recorded): a message is dead from now on. After Redis went back in time it may be dead already.
-- recorded: the result of work_of.
local function keep_dead(uid, body, cause, lines, recorded)
  local before = redis.call('ZADD', dead, now, uid) == 0 and kept_dead.size(uid) or 0
  redis.call('HSET', dead_messages, uid, body, uid .. '/cause', cause)
  if lines then
    redis.call('HSET', dead_messages, uid .. '/history', lines)
  end
  kept_dead.forget_work(uid)
  if recorded then
    kept_dead.keep_work(uid, recorded)
  end
  kept_dead.count(kept_dead.size(uid) - before)
end
