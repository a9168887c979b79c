-- Begins and ends the runs of handlers that succeed once for each idempotency key, for one owner: a container, from its start to
-- its stop. A key is free, or runs, or is done until it is forgotten.
--
-- I3  a repeated request number gets the same reply; a lower one does nothing, so that a begin that arrives late does not
--     occupy a key for ever.
-- I4  a run counts as crashed when its owner's lease is over: the next owner that begins the key takes it over.
-- I6  bounded by the caller (at most 200 steps), and by the steps of the clearing up.
-- I7  the first write deletes, so that runs are recorded as done when Redis is full.
-- I8  all keys have an expiry.
-- I9  a request that was answered and is not remembered shows that Redis went back in time, or has forgotten an owner that was
--     idle: the owner continues under another name.
--
--@keys idempotent idempotent:running idempotent:owners
-- KEYS.idempotent          zset of the keys that are done, by when they are forgotten
-- KEYS.idempotent_running  key -> owner|run|since; @owner -> its last request, and the reply; ? -> where to go on with clearing
--                             up, and since when. A key begins with = or, if it is hashed, with #
-- KEYS.idempotent_owners   zset of owners by lease deadline
-- ARGV[1] owner               ARGV[2] request number    ARGV[3] number of its last request that was answered, or 0
-- ARGV[4] the owner in whose place this one is, or ''; that one ends, and what it runs is free
-- ARGV[5] lease, ms, which each request renews; 0: the owner ends, and what it runs is free
-- ARGV[6..] four each: what ('begin', 'done', 'free', 'look', 'forget'), key, run, and for how long the key is done, ms (done). A run
--         is recorded as done even if its owner's lease was over; a run that is not the key's frees nothing.
-- reply   words: OK, then one for each step: mine, done, ok, or of a key that runs: since/rest, for how long it has been running
--         and how long its owner's lease still is, ms. Or STALE: a later request was seen; or BEHIND: one that was answered
--         is not remembered. Nothing was done then.
--@include clock
--@include call_all
local OWNER, RUN, CLEARING = '@', '|', '?'
local MOST_OVER = 100 -- owners that one request removes
local done, running, owners = KEYS.idempotent, KEYS.idempotent_running, KEYS.idempotent_owners
local owner, seq, former, lease = ARGV[1], tonumber(ARGV[2]), ARGV[4], tonumber(ARGV[5])

local fields, keys = { OWNER .. owner }, {}
for i = 7, #ARGV, 4 do
  keys[#keys + 1] = ARGV[i]
  fields[#fields + 1] = ARGV[i]
end
local found = redis.call('HMGET', running, unpack(fields))
local last, replied = string.match(found[1] or '0 ', '^(%d+) (.*)$')
last = tonumber(last)
if seq < last then
  return 'STALE'
elseif last < tonumber(ARGV[3]) then
  return 'BEHIND'
end
local reply = seq == last and replied

redis.call('ZREM', done, '') -- deletes nothing; see I7
local forgotten = redis.call('ZRANGEBYSCORE', done, '-inf', now, 'LIMIT', 0, #keys * 2 + 20)
call_all('ZREM', done, forgotten)
redis.call('ZADD', owners, now + lease, owner)
if former ~= '' then
  redis.call('ZADD', owners, 'XX', now, former)
end

-- rest_of(other): how long the lease of an owner still is, ms; 0 if it is over.
local rests = { [owner] = lease }
local function rest_of(other)
  if not rests[other] then
    local deadline = redis.call('ZSCORE', owners, other)
    rests[other] = deadline and math.max(0, tonumber(deadline) - now) or 0
  end
  return rests[other]
end

if not reply then
  local holders, forgets = {}, {} -- by key
  if #keys > 0 then
    local ends = redis.call('ZMSCORE', done, unpack(keys))
    for n, key in ipairs(keys) do
      holders[key], forgets[key] = found[n + 1], tonumber(ends[n] or 0)
    end
  end
  local words, recorded = { 'OK' }, {}
  for n, key in ipairs(keys) do
    local what, run, window = ARGV[n * 4 + 2], owner .. RUN .. ARGV[n * 4 + 4] .. RUN, ARGV[n * 4 + 5]
    local holder = holders[key]
    local word = 'ok'
    if what == 'begin' or what == 'look' then
      local other, since
      if holder then
        other, since = string.match(holder, '^([^|]*)|[^|]*|(%d+)$')
      end
      if forgets[key] > now then
        word = 'done'
      elseif other and rest_of(other) > 0 then
        word = string.format('%.0f/%.0f', math.max(0, now - since), rest_of(other))
      elseif what == 'begin' then
        holders[key], word = run .. stamp, 'mine'
      end
    elseif what == 'forget' then
      forgets[key], recorded[key] = 0, 0
    else
      if holder and string.sub(holder, 1, #run) == run then
        holders[key] = false
      end
      if what == 'done' then
        forgets[key] = math.max(forgets[key], now + window)
        recorded[key] = forgets[key]
      end
    end
    words[n + 1] = word
  end
  reply = table.concat(words, ' ')
  local freed, held = {}, { OWNER .. owner, ARGV[2] .. ' ' .. reply }
  for n, key in ipairs(keys) do
    if not holders[key] and found[n + 1] then
      freed[#freed + 1] = key
    elseif holders[key] and holders[key] ~= found[n + 1] then
      held[#held + 1], held[#held + 2] = key, holders[key]
    end
  end
  call_all('HDEL', running, freed)
  redis.call('HSET', running, unpack(held))
  local record, forgotten_now = {}, {}
  for key, forget_at in pairs(recorded) do
    if forget_at == 0 then
      forgotten_now[#forgotten_now + 1] = key
    else
      record[#record + 1], record[#record + 2] = string.format('%.0f', forget_at), key
    end
  end
  call_all('ZREM', done, forgotten_now)
  if #record > 0 then
    redis.call('ZADD', done, unpack(record))
    redis.call('PEXPIREAT', done, string.format('%.0f', redis.call('ZRANGE', done, -1, -1, 'WITHSCORES')[2] + 60000))
  end
end

-- Clears up the runs of owners whose lease is over, a page at a time. An owner that is not in the list is one of them. So the others go
-- from it at once, and the last one when all pages were looked at since its lease was over.
local over = redis.call('ZRANGEBYSCORE', owners, '-inf', now, 'LIMIT', 0, MOST_OVER)
if #over > 0 then
  local cursor, began = string.match(redis.call('HGET', running, CLEARING) or '', '^(%d+) (%d+)$')
  local page = redis.call('HSCAN', running, cursor or '0', 'COUNT', #keys + 100)
  local left = {}
  for i = 1, #page[2], 2 do
    local field = page[2][i]
    local other = string.sub(field, 1, 1) == OWNER and string.sub(field, 2) or string.match(page[2][i + 1], '^([^|]*)|')
    if field ~= CLEARING and other and rest_of(other) == 0 then
      left[#left + 1] = field
    end
  end
  if page[1] == '0' then
    left[#left + 1] = CLEARING
    if began and tonumber(redis.call('ZSCORE', owners, over[#over])) >= tonumber(began) then
      over[#over] = nil
    end
  else
    over[#over] = nil
    redis.call('HSET', running, CLEARING, page[1] .. ' ' .. (began or stamp))
  end
  call_all('HDEL', running, left)
  call_all('ZREM', owners, over)
end

local latest = redis.call('ZRANGE', owners, -1, -1, 'WITHSCORES')[2]
local expiry = string.format('%.0f', math.max(now, tonumber(latest or 0)) + 60000)
redis.call('PEXPIREAT', running, expiry)
redis.call('PEXPIREAT', owners, expiry)
return reply
