-- What stands before a lane's name in the key held: the field of the lane itself; see lane_entry.
--
-- reads    nothing
-- sets     OWN_FIELD, OWN_FIELD_BYTE
local OWN_FIELD, OWN_FIELD_BYTE = '@', 64
