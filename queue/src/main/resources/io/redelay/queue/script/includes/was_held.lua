-- was_held(body, due): whether a lane may have held a scheduled message, as it is not due when its envelope says: it was given back. Such a
-- one stays near, so that its acknowledgement counts if that comes late; see packable.
--
-- reads    nothing
-- sets     was_held
local function was_held(body, due)
  return string.match(body, '^{"sentAt":%d+,"dueAt":(%d+),') ~= due
end
