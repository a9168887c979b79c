-- now: stamp as a number.
--
-- reads    nothing
-- sets     clock, stamp, now
--@include stamp
local now = tonumber(stamp)
