-- What the key past says beside uids, and for how long it is kept: as long as senders remember what they may send again.
--
-- reads    nothing
-- sets     DELETED, PAST_MS
local DELETED, PAST_MS = '@deleted', '600000'
