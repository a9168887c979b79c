-- new_version(known): gives the groups of a topic a version that they never had, though Redis may have gone back in time: the
-- time, or the next number if that is not greater.
--
-- reads    clock
-- sets     new_version
local function new_version(known)
  local version = clock[1] .. string.sub('00000' .. clock[2], -6)
  local before = tonumber(redis.call('GET', known)) or 0
  if tonumber(version) <= before then
    version = string.format('%.0f', before + 1)
  end
  redis.call('SET', known, version)
end
