-- Renews the lease of a lane, and with it of all that the lane holds.
--
-- I9  a lane whose last answered request is ahead of what is remembered learns that Redis went back in time.
-- I4  never revives a dead lane. Safe to repeat.
-- I7  the first write deletes: on a full Redis no lease may run out for it.
--
-- KEYS[1] held    KEYS[2] lanes    KEYS[3] shared:held, if the listener shares a limit with others; see includes/shared_limits.lua
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] number of its last request that was answered
-- reply   {'OK'}, {'GONE'} or {'BEHIND'}
--@include clock
--@include marks
local held, lanes, shared_held, lane = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
--@include living_lane
--@include renew
return { 'OK' }
