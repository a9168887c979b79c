-- dead_of(dead, dead_messages, now): data of dead messages: envelopes, causes, histories and handlers' records; see kept. It has also
-- the keys dead and messages, and keep(uid, body, cause, lines, recorded): a message is dead from now on. After Redis went back in time
-- it may be dead already. recorded: the result of work_of.
--
-- reads    nothing
-- sets     dead_of
--@include kept
local function dead_of(dead, dead_messages, now)
  local kept = kept_of(dead_messages, { '/cause', '/history' }, { '/checkpoint', '/progress', '/log' })
  kept.dead, kept.messages = dead, dead_messages
  kept.keep = function(uid, body, cause, lines, recorded)
    local before = redis.call('ZADD', dead, now, uid) == 0 and kept.size(uid) or 0
    redis.call('HSET', dead_messages, uid, body, uid .. '/cause', cause)
    if lines then
      redis.call('HSET', dead_messages, uid .. '/history', lines)
    end
    kept.forget_work(uid)
    if recorded then
      kept.keep_work(uid, recorded)
    end
    kept.count(kept.size(uid) - before)
  end
  return kept
end
