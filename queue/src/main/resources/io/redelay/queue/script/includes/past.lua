-- Members of the key past beside uids, and for how long it is kept: as long as senders remember messages to send again. LOST: Redis
-- went back so far that it did not know the lane of a consumer, so it may not know others either.
--
-- reads    nothing
-- sets     DELETED, PAST_MS, LOST
local DELETED, PAST_MS = '@deleted', '600000'
local LOST = '@lost'
