-- stamp: the acting master's clock in whole milliseconds, rounded down, as digits. clock: seconds, and the microseconds beyond them. No
-- other clock decides anything.
--
-- reads    nothing
-- sets     clock, stamp
local clock = redis.call('TIME')
local stamp = clock[1] .. string.sub('00000' .. clock[2], -6, -4)
