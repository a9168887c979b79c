-- Bytes in the key held and deadlines in the key lanes that stand for something.
--
-- reads    nothing
-- sets     OWN_FIELD, OWN_FIELD_BYTE, CLAIM, CLAIM_BYTE, SUSPECT, SUSPECT_BYTE, BODILESS, BODILESS_BYTE, CLOSED, RETURNS

local OWN_FIELD, OWN_FIELD_BYTE = '@', 64 -- before a lane's name: the field of the lane itself; see lane_entry
local CLAIM, CLAIM_BYTE = '/', 47 -- between the lane that holds a message and the number of the claim
local SUSPECT, SUSPECT_BYTE = '!', 33 -- behind that: it is held as a suspect
local BODILESS, BODILESS_BYTE = '?', 63 -- behind that: it is held without a body; see resume
local CLOSED, RETURNS = '0', '-1' -- deadlines of a lane that was closed, and of one whose consumer uses another lane now
