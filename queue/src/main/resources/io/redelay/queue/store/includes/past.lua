-- What the key past says beside uids, and for how long it is kept: as long as senders remember what they may send again. LOST: Redis
-- went back so far that it did not know the lane of a consumer, and so it may not know of others either.
--
-- reads    nothing
-- sets     DELETED, PAST_MS, LOST
local DELETED, PAST_MS = '@deleted', '600000'
local LOST = '@lost'
