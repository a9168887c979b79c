-- Writes the description of an instance, for some time, and adds the instance to the list; or removes both when it ends. Notes for the
-- history of queues that an instance came, went, or was not heard of any more, or that it is the first one of another version. Safe to
-- repeat. A mark fails nothing.
--
-- I6  of other instances, only those that ended long ago are removed, at most 100 at a time.
-- I7  the first write deletes.
-- I8  a bounded number of marks is kept.
--
--@keys instance instances marks
-- KEYS.instances    zset of instances by the time until which they are believed; KEYS.instance is that of this one. It is kept for a day
--                   longer, so that the next instance finds those that went without a word
-- ARGV[1] instance    ARGV[2] its description, JSON; '' if it ends    ARGV[3] for how long, ms
-- ARGV[4] its display name    ARGV[5] its application    ARGV[6] the version of that, or ''; none has a byte 0
-- reply   {'OK'}
--@include clock
--@include keep_mark
local DAY_MS = 86400000
local silent = redis.call('ZRANGEBYSCORE', KEYS.instances, '-inf', stamp, 'WITHSCORES', 'LIMIT', 0, 100)
local till = redis.call('ZSCORE', KEYS.instances, ARGV[1])
local is_new = not till or tonumber(till) <= now
local marks = (#silent > 0 or is_new or ARGV[2] == '') and marks_of(KEYS.marks)
local ended = { '' }
for i = 1, #silent, 2 do
  ended[#ended + 1] = silent[i]
end
redis.call('ZREM', KEYS.instances, unpack(ended))
for i = 1, #silent, 2 do
  keep_mark(KEYS.marks, marks, { string.format('%.0f', silent[i + 1]), 'INSTANCE_SILENT', silent[i], '', '', '', '' })
end
if ARGV[2] == '' then
  if redis.call('ZREM', KEYS.instances, ARGV[1]) == 1 then
    keep_mark(KEYS.marks, marks, { stamp, 'INSTANCE_STOPPED', ARGV[1], ARGV[4], ARGV[5], ARGV[6], '' })
  end
  redis.call('DEL', KEYS.instance)
  return { 'OK' }
end
if is_new then
  local former, is_known = '', ARGV[5] == '' or ARGV[6] == ''
  for _, mark in ipairs(marks) do
    local is_same = mark[5] == ARGV[5] and mark[6] == ARGV[6]
    if former == '' and mark[2] ~= 'INSTANCE_STOPPED' and mark[5] == ARGV[5] then
      former = mark[6] or ''
    end
    is_known = is_known or mark[3] == ARGV[1] or is_same and redis.call('ZSCORE', KEYS.instances, mark[3])
  end
  local is_deploy = not is_known and former ~= '' and former ~= ARGV[6]
  keep_mark(KEYS.marks, marks, { stamp, is_deploy and 'DEPLOYED' or 'INSTANCE_STARTED', ARGV[1], ARGV[4], ARGV[5], ARGV[6],
    is_deploy and former or '' })
end
redis.call('SET', KEYS.instance, ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS.instances, string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS.instances, string.format('%.0f', ARGV[3] + DAY_MS))
return { 'OK' }
