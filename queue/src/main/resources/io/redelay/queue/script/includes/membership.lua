-- MEMBERSHIP: how a message of a bundle is recognised by its attributes: what comes before, and the eighth one; see attributes.
--
-- reads    nothing
-- sets     MEMBERSHIP
local MEMBERSHIP = '^(%Z*%z%Z*%z%d+%z[%da]%z%d*%z1?%z%Z*)%z(%Z+)$'
