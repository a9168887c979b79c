-- How the count of messages is read in the field of a lane in held; see lane_entry.
--
-- reads    nothing
-- sets     COUNT, HOLDS_NOTHING
local COUNT, HOLDS_NOTHING = '^%d+|(%d+)|', '^%d+|0|'
