-- Notes for its history what happened around a queue, such as that it was paused. Touches no message.
--
-- I3  a mark with the id of another one is not noted again. Each lane of each instance finds that Redis went back: it is noted once a minute.
-- I7  the first write deletes.
-- I8  a bounded number of marks is kept, and the key expires.
--
--@keys marks messages lanes known
-- ARGV[1] id    ARGV[2] what    ARGV[3] instance    ARGV[4] what else there is to know; none has a byte 0
-- reply   {'OK'}, {'SEEN'} if there is such a mark, or {'NONE'} if there is no such queue, as it was deleted
--@include clock
--@include keep_mark
redis.call('LREM', KEYS.marks, 0, '') -- deletes nothing
if redis.call('EXISTS', KEYS.messages, KEYS.lanes, KEYS.known) == 0 then
  return { 'NONE' }
end
local marks = marks_of(KEYS.marks)
for _, mark in ipairs(marks) do
  local is_back = ARGV[2] == 'REDIS_WENT_BACK' and mark[2] == ARGV[2] and math.abs(now - (tonumber(mark[1]) or 0)) < 60000
  if is_back or mark[3] == ARGV[1] then
    return { 'SEEN' }
  end
end
keep_mark(KEYS.marks, marks, { stamp, ARGV[2], ARGV[1], ARGV[3], '', '', ARGV[4] })
return { 'OK' }
