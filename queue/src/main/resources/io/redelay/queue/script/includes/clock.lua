-- stamp, now: the acting master's clock in whole milliseconds, rounded down, as digits and as a number. clock: seconds, and the
-- microseconds beyond them. No other clock decides anything.
--
-- reads    nothing
-- sets     clock, stamp, now
local clock = redis.call('TIME')
local stamp = clock[1] .. string.sub('00000' .. clock[2], -6, -4)
local now = tonumber(stamp)
