-- A member of the key past: Redis went back so far that it did not know the lane of a consumer, so it may not know others either.
--
-- reads    nothing
-- sets     LOST
local LOST = '@lost'
