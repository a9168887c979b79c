-- Says which number of the wire an instance speaks, and is refused if one that was spoken here does not work beside it; see
-- wire-versions.adoc. Safe to repeat.
--
-- A lower number is refused as long as an instance may still speak it. One that has not spoken for an hour asks before its next
-- request, and is refused then, see WireGate. But what it wrote stays: a number whose data is not understood is refused always.
--
-- I7  the first write deletes: on a full Redis it is the consumers that make room.
--
--@keys wire
-- KEYS.wire  number -> the lowest one that it works beside, when it was last spoken, and by which instance; with blanks between.
--            A later version may write more behind the first two
-- ARGV[1] number    ARGV[2] the lowest one that it works beside    ARGV[3] the lowest one whose data it understands
-- ARGV[4] instance    ARGV[5] READ if it only reads: it leaves no word of itself then, and needs no room
-- ARGV[6] the lowest number that works beside what it has written, if that is higher than ARGV[2]. It stays so for all of its number,
--         until their entry is deleted
-- reply   {'OK'}, or {'REFUSED', the other number, its value}: nothing was done then
--@include clock
local number, lowest, reads = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local needed = math.max(lowest, tonumber(ARGV[6]))
local SPEAKS_MS = 3600000
local spoken = redis.call('HGETALL', KEYS.wire)
for i = 1, #spoken, 2 do
  local other, others_lowest, at = tonumber(spoken[i]), string.match(spoken[i + 1], '^(%d+) (%d+)')
  if not (other and at) or other ~= number and (number < tonumber(others_lowest) or other < reads
      or other < lowest and now - at < SPEAKS_MS) then
    return { 'REFUSED', spoken[i], spoken[i + 1] }
  end
  needed = other == number and math.max(needed, others_lowest) or needed
end
if ARGV[5] == 'READ' then
  return { 'OK' }
end
redis.call('HDEL', KEYS.wire, '') -- deletes nothing
redis.call('HSET', KEYS.wire, ARGV[1], string.format('%d', needed) .. ' ' .. stamp .. ' ' .. ARGV[4])
redis.call('PEXPIRE', KEYS.wire, '31536000000') -- a year
return { 'OK' }
