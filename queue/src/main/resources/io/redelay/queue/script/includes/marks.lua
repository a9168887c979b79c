-- Bytes that stand for something in the key held, behind the lane that holds a message.
--
-- reads    nothing
-- sets     CLAIM, CLAIM_BYTE, SUSPECT, SUSPECT_BYTE, BODILESS, BODILESS_BYTE

local CLAIM, CLAIM_BYTE = '/', 47 -- between the lane and the number of the claim
local SUSPECT, SUSPECT_BYTE = '!', 33 -- behind that: it is held as a suspect
local BODILESS, BODILESS_BYTE = '?', 63 -- behind that: it is held without a body; see resume
