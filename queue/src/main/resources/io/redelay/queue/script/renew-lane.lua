-- Renews the lease of a lane, and so of all messages that it holds, and gives whether some of these may have been cancelled.
--
-- I9  if the lane's last answered request is ahead of the one that is remembered, the reply is BEHIND: Redis went back in time.
-- I4  never revives a dead lane. Safe to repeat.
-- I7  the first write deletes: on a full Redis no lease may run out for it.
--
--@keys held lanes cancelled shared:held
-- KEYS.shared_held    given if the listener shares a limit with others; see includes/shared_limits.lua
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] number of its last request that was answered
-- reply   {'OK', '1' if messages of the queue were cancelled that are still held, else '0'}, {'GONE'} or {'BEHIND'}
--@include clock
--@include own_field
local lane = ARGV[1]
--@include living_lane
local memory, refusal = memory_of_lane(lane, tonumber(ARGV[3]))
if refusal then
  return { refusal }
end
--@include renew
renew(lane, tonumber(ARGV[2]), memory, now)
return { 'OK', redis.call('EXISTS', KEYS.cancelled) == 1 and '1' or '0' }
