-- The deadline of a lane whose consumer uses another lane now.
--
-- reads    nothing
-- sets     RETURNS
local RETURNS = '-1'
