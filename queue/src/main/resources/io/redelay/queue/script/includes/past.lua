-- A member of the key past beside uids, and for how long it is kept: as long as senders remember messages to send again.
--
-- reads    nothing
-- sets     DELETED, PAST_MS
local DELETED, PAST_MS = '@deleted', '600000'
