-- How the field of a lane in held is read: last request|how many it holds|what that request refused|what it brought. It is one
-- text, for that is one value to read and to write in each claim.
--
-- reads    nothing
-- sets     LAST_AND_COUNT, COUNT, HOLDS_NOTHING, LAST_COUNT_REFUSED, REFUSED_AND_BROUGHT, NOTHING_BROUGHT_BYTE

local LAST_AND_COUNT, COUNT, HOLDS_NOTHING = '^(%d+)|(%d+)|', '^%d+|(%d+)|', '^%d+|0|'
local LAST_COUNT_REFUSED, REFUSED_AND_BROUGHT = '^(%d+)|(%d+)|([^|]*)|', '^%d+|%d+|([^|]*)|(.*)$'
local NOTHING_BROUGHT_BYTE = 124 -- |, its last byte then
