-- Adds an instance's counts for a queue to the ring of its last sixty minutes and to that of its last thirteen slots of five seconds, and
-- notes how many messages are ready now.
-- Touches no message.
--
-- I3  a request number of an instance counts once, whether it is sent again or comes late.
-- I7  the first write deletes: the ring is needed most when Redis is full, and it does not grow.
-- I8  the rings have sixty minutes and thirteen slots, and remember the requests of instances that counted within ten minutes.
--
--@keys stats messages scheduled held lanes known meta
-- ARGV[1] instance    ARGV[2] request number, from 1
-- ARGV[3..] twelve numbers a span of time: how long ago it was, ms; how many were sent, acknowledged, failed, died and were given
--         back; how many handlers were called for a message whose due time is known, the sum of their waits and the longest, ms; how
--         many were handled, the sum of the handlers' times and the longest, microseconds
-- reply   {'OK'}, {'SEEN'} if the request is repeated, or {'NONE'} if there is no such queue, as it was deleted
--@include clock
--@include near
local stats, instance, seq = KEYS.stats, '@' .. ARGV[1], tonumber(ARGV[2])
local COUNTS = 12
-- Earlier versions read each field as a minute that does not begin with @.
local MINUTES, SLOTS = { size = 60, millis = 60000, prefix = '' }, { size = 13, millis = 5000, prefix = '@ ' }
local this_minute = math.floor(now / MINUTES.millis)
redis.call('HDEL', stats, '') -- deletes nothing
if redis.call('EXISTS', KEYS.messages, KEYS.lanes, KEYS.known) == 0 then
  return { 'NONE' }
end

local function whole(number)
  return string.format('%.0f', number)
end

-- The number of the last request of the instance.
local last = redis.call('HGET', stats, instance)
if last and seq <= tonumber(string.match(last, '^%d+') or 0) then
  return { 'SEEN' }
end
if not last then
  local all = redis.call('HGETALL', stats)
  for i = 1, #all, 2 do
    local minute = string.match(all[i], '^@%S') and tonumber(string.match(all[i + 1], ' (%d+)$'))
    if minute and minute < this_minute - 10 then
      redis.call('HDEL', stats, all[i])
    end
  end
end
redis.call('HSET', stats, instance, ARGV[2] .. ' ' .. whole(this_minute))

-- The numbers of a minute or slot: which one it is, the counts, how many were ready at last or '-', and, of a slot, when that was.
local function read(ring, minute)
  local text = redis.call('HGET', stats, ring.prefix .. whole(minute % ring.size))
  local numbers = {}
  for word in string.gmatch(text or '', '%S+') do
    numbers[#numbers + 1] = tonumber(word) or word
  end
  local readable = #numbers > COUNTS and (numbers[COUNTS + 1] == '-' or type(numbers[COUNTS + 1]) == 'number')
  for i = 1, COUNTS do
    readable = readable and type(numbers[i]) == 'number'
  end
  if not readable or numbers[1] < minute then
    numbers = { minute }
    for i = 2, COUNTS do
      numbers[i] = 0
    end
    numbers[COUNTS + 1] = '-'
  end
  return numbers
end

local function write(ring, numbers)
  local words = {}
  for i, number in ipairs(numbers) do
    words[i] = type(number) == 'number' and whole(number) or number
  end
  redis.call('HSET', stats, ring.prefix .. whole(numbers[1] % ring.size), table.concat(words, ' '))
end

local function add(ring, first)
  local minute = math.floor((now - tonumber(ARGV[first])) / ring.millis)
  local numbers = read(ring, minute)
  if minute > math.floor(now / ring.millis) - ring.size and numbers[1] == minute then
    for i = 2, COUNTS do
      local number = tonumber(ARGV[first + i - 1])
      local longest = i == 9 or i == COUNTS
      numbers[i] = longest and math.max(numbers[i], number) or numbers[i] + number
    end
    write(ring, numbers)
  end
end

for first = 3, #ARGV, COUNTS do
  add(MINUTES, first)
  add(SLOTS, first)
end
local later = redis.call('ZCOUNT', KEYS.scheduled, '(' .. stamp, '+inf')
local in_flight = redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes)
local ready = math.max(0, near_living(KEYS.messages, KEYS.meta) - later - in_flight)
local numbers = read(MINUTES, this_minute)
if numbers[1] == this_minute then
  numbers[COUNTS + 1] = ready
  write(MINUTES, numbers)
end
local this_slot = math.floor(now / SLOTS.millis)
numbers = read(SLOTS, this_slot)
if numbers[1] == this_slot then
  numbers[COUNTS + 1], numbers[COUNTS + 2] = ready, now
  write(SLOTS, numbers)
end
redis.call('PEXPIRE', stats, 61 * 60000)
return { 'OK' }
