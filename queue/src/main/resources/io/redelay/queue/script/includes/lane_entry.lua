-- How the field of a lane in held is read: last request|how many it holds|the process of Redis, see process|settlements refused by
-- that request|uids claimed by it. It is one text, so each claim reads and writes one value. For the count alone see held_count.
--
-- reads    nothing
-- sets     LAST_COUNT_PROCESS, REFUSED_AND_BROUGHT, NOTHING_BROUGHT_BYTE, PROCESS

local LAST_COUNT_PROCESS, REFUSED_AND_BROUGHT = '^(%d+)|(%d+)|([^|]*)|', '^%d+|%d+|[^|]*|([^|]*)|(.*)$'
local NOTHING_BROUGHT_BYTE = 124 -- |, its last byte then
local PROCESS = '^%d+|%d+|([^|]*)|[^|]*|' -- not of a lane of an instance that writes none
