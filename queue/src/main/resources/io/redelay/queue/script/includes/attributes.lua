-- How the attributes of a message are read, the text that `keys` has of it: ordering key, fairness key, weight, level, head start in
-- ms, '1' if it keeps its ordering key when it is dead; with a byte 0 between them. The level is 9 less the priority, so
-- the lowest goes first, or 'a' where priorities age: there the head start stands for the priority. A message with
-- tags has a seventh one: these, with line feeds between them. A message of a bundle has a seventh one, if only an empty one, and an
-- eighth: the queue of the bundle's callback, the id of the bundle, the uid under which the message was sent and its id or nothing,
-- with / between them.
-- ORDERING_KEY, FAIRNESS_KEY, ATTRIBUTED_TAGS: how only one of them is read, which costs less.
-- For the eighth one see membership.
--
-- reads    nothing
-- sets     ATTRIBUTED_TAGS, FAIRNESS_KEY, ORDERING_KEY
local ORDERING_KEY, FAIRNESS_KEY = '^%Z*', '^%Z*%z(%Z*)'
local ATTRIBUTED_TAGS = '^%Z*%z%Z*%z%d+%z[%da]%z%d*%z1?%z(%Z+)'
