-- Adds an instance's counts for a queue to its rings: of the last sixty minutes, of the last thirteen slots of five seconds, of a day in
-- quarters of an hour and of a month in four hours. Notes how many messages are ready now. Touches no message.
--
-- I3  a request number of an instance counts once, whether it is sent again or comes late.
-- I7  the first write deletes: the rings are needed most when Redis is full, and they do not grow.
-- I8  each ring has a fixed number of fields. The requests of instances that counted within ten minutes are remembered.
-- I9  a field whose number is not that of the wanted time is of another round, earlier or, if the clock went back, later: it begins anew.
--
--@keys stats messages scheduled held lanes known meta stats:day stats:month
-- KEYS.stats       a number modulo the size of the ring -> the number, counted from 1970, the counts, and how many were ready at last or
--                  '-'; of a slot also when that was
-- KEYS.stats_day, KEYS.stats_month   the same to the base 36 with a comma behind each, zeros left out, and none at the end: the number,
--                  the counts, the highest number of ready messages, and one more than the last one, 0 if it is not known
-- ARGV[1] instance    ARGV[2] request number, from 1
-- ARGV[3..] twelve numbers a span of time: how long ago it was, ms; how many were sent, acknowledged, failed, died and were given
--         back; how many handlers were called for a message whose due time is known, the sum of their waits and the longest, ms; how
--         many were handled, the sum of the handlers' times and the longest, microseconds
-- reply   {'OK'}, {'SEEN'} if the request is repeated, or {'NONE'} if there is no such queue, as it was deleted
-- What else may be under the keys of a day and a month stops nothing.
--@include clock
--@include near
local stats, instance, seq = KEYS.stats, '@' .. ARGV[1], tonumber(ARGV[2])
local COUNTS, DIGITS = 12, '0123456789abcdefghijklmnopqrstuvwxyz'
-- Earlier versions read each field of stats as a minute that does not begin with @.
local MINUTES = { key = stats, size = 60, millis = 60000, prefix = '', rows = {} }
local SLOTS = { key = stats, size = 13, millis = 5000, prefix = '@ ', rows = {} }
local QUARTERS = { key = KEYS.stats_day, size = 96, millis = 900000, prefix = '', rows = {}, is_short = true }
local HOURS = { key = KEYS.stats_month, size = 186, millis = 14400000, prefix = '', rows = {}, is_short = true }
local RINGS = { MINUTES, SLOTS }
for _, ring in ipairs({ QUARTERS, HOURS }) do
  RINGS[#RINGS + 1] = type(redis.pcall('HLEN', ring.key)) == 'number' and ring or nil
end
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
local forgotten = {}
if not last then
  local all = redis.call('HGETALL', stats)
  for i = 1, #all, 2 do
    local minute = string.match(all[i], '^@%S') and tonumber(string.match(all[i + 1], ' (%d+)$'))
    if minute and minute < this_minute - 10 then
      forgotten[#forgotten + 1] = all[i]
    end
  end
end

local function numbers_of(ring, text)
  local numbers, word_of = {}, ring.is_short and '([^,]*),' or '%S+'
  for word in string.gmatch(text, word_of) do
    numbers[#numbers + 1] = word == '' and 0 or tonumber(word, ring.is_short and 36 or 10) or word
  end
  while ring.is_short and #numbers < COUNTS + 2 do
    numbers[#numbers + 1] = 0
  end
  return numbers
end

-- The numbers of a minute or another step of a ring: which one it is, the counts, and how many were ready.
local function row(ring, step)
  local known = ring.rows[step]
  if known then
    return known
  end
  local numbers = numbers_of(ring, redis.call('HGET', ring.key, ring.prefix .. whole(step % ring.size)) or '')
  local readable = #numbers > COUNTS and (ring.is_short or numbers[COUNTS + 1] == '-' or type(numbers[COUNTS + 1]) == 'number')
  for i = 1, ring.is_short and COUNTS + 2 or COUNTS do
    readable = readable and type(numbers[i]) == 'number'
  end
  if not readable or numbers[1] ~= step then
    numbers = { step }
    for i = 2, COUNTS do
      numbers[i] = 0
    end
    numbers[COUNTS + 1] = ring.is_short and 0 or '-'
    numbers[COUNTS + 2] = ring.is_short and 0 or nil
  end
  ring.rows[step] = numbers
  return numbers
end

local function short(number)
  local text = ''
  while number > 0 do
    local digit = number % 36
    text, number = string.sub(DIGITS, digit + 1, digit + 1) .. text, (number - digit) / 36
  end
  return text
end

local function text_of(ring, numbers)
  local words = {}
  for i, number in ipairs(numbers) do
    words[i] = type(number) ~= 'number' and number or ring.is_short and short(number) or whole(number)
  end
  return ring.is_short and (string.gsub(table.concat(words, ',') .. ',', ',+$', ',')) or table.concat(words, ' ')
end

for _, ring in ipairs(RINGS) do
  local this_step = math.floor(now / ring.millis)
  for first = 3, #ARGV, COUNTS do
    local step = math.floor((now - tonumber(ARGV[first])) / ring.millis)
    if step > this_step - ring.size then
      local numbers = row(ring, step)
      for i = 2, COUNTS do
        local number = tonumber(ARGV[first + i - 1])
        local longest = i == 9 or i == COUNTS
        numbers[i] = longest and math.max(numbers[i], number) or numbers[i] + number
      end
    end
  end
  row(ring, this_step)
end
local later = redis.call('ZCOUNT', KEYS.scheduled, '(' .. stamp, '+inf')
local in_flight = redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes)
local ready = math.max(0, near_living(KEYS.messages, KEYS.meta) - later - in_flight)

-- All is read that may be of another form: from here on only writes follow.
for _, field in ipairs(forgotten) do
  redis.call('HDEL', stats, field)
end
redis.call('HSET', stats, instance, ARGV[2] .. ' ' .. whole(this_minute))
for _, ring in ipairs(RINGS) do
  local numbers = row(ring, math.floor(now / ring.millis))
  if ring.is_short then
    numbers[COUNTS + 1], numbers[COUNTS + 2] = math.max(numbers[COUNTS + 1], ready), ready + 1
  else
    numbers[COUNTS + 1], numbers[COUNTS + 2] = ready, ring == SLOTS and now or nil
  end
  for step, written in pairs(ring.rows) do
    redis.call('HSET', ring.key, ring.prefix .. whole(step % ring.size), text_of(ring, written))
  end
  redis.call('PEXPIRE', ring.key, whole(ring.is_short and (ring.size + 6) * ring.millis or 61 * 60000))
end
return { 'OK' }
