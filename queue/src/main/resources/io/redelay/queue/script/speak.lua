-- Says which number of the wire an instance speaks, and is refused if one that was spoken here does not work beside it; see
-- wire-versions.adoc. Safe to repeat.
--
-- I7  the first write deletes: on a full Redis it is the consumers that make room.
--
--@keys wire
-- KEYS.wire  number -> the lowest one that it works beside, when it was last spoken, and by which instance; with blanks between.
--            A later version may write more behind the first two
-- ARGV[1] number    ARGV[2] the lowest one that it works beside    ARGV[3] instance
-- reply   {'OK'}, or {'REFUSED', the other number, its value}: nothing was done then
--@include stamp
local number, lowest = tonumber(ARGV[1]), tonumber(ARGV[2])
local spoken = redis.call('HGETALL', KEYS.wire)
for i = 1, #spoken, 2 do
  local other, others_lowest = tonumber(spoken[i]), tonumber(string.match(spoken[i + 1], '^(%d+) %d+'))
  if not (other and others_lowest) or other ~= number and (other < lowest or number < others_lowest) then
    return { 'REFUSED', spoken[i], spoken[i + 1] }
  end
end
redis.call('HDEL', KEYS.wire, '') -- deletes nothing
redis.call('HSET', KEYS.wire, ARGV[1], ARGV[2] .. ' ' .. stamp .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS.wire, '31536000000') -- a year
return { 'OK' }
