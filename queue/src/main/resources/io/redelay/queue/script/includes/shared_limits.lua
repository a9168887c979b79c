-- share_limit(limit, lane, wants, channel, clock, now): how many a claim may take by a limit that several queues of one server share;
-- see queue_limits. wants: whether it takes messages that it finds. Each queue writes to `shared:held`
-- how many of its messages are held, and until when its last lane lives; a claim corrects this entry, which is removed when all lanes
-- of the queue are dead. A lane without room for ready messages joins the line, and is woken when there is some. A lane that is not in
-- the line leaves one place to those that are, so that a busy queue does not keep all. A lane is in the line for five seconds, and
-- looks by itself each second, so a lane that is gone delays no other one for longer.
--
--@keys-of claim
-- reads    rates_of
-- sets     share_limit
local function share_limit(limit, lane, wants, channel, clock, now)
  local shared_held, line = KEYS.shared_held, KEYS.shared_line
  local LINE_MS, LOOK_MS = 5000, 1000
  local rate_of, allowance, spend = rates_of(KEYS.shared_rates, KEYS.shared_bursts, clock, now)
  local limits = {}
  for name, word in string.gmatch(ARGV[6], '(%l+)=(%S+)') do
    limits[name] = word
  end
  local of_queue = limit.after_claim
  local rate = rate_of(limits.s)
  local allowed, state = math.huge, nil
  if rate then
    allowed, state = allowance('q', rate)
  end
  local room, free = allowed, math.huge
  local in_flight, last_deadline = 0, now
  local waited = false -- whether the lane is in the line
  if limits.sm then
    redis.call('ZREMRANGEBYSCORE', line, '-inf', now - LINE_MS)
    waited = redis.call('ZSCORE', line, lane)
    in_flight = redis.call('HLEN', KEYS.held) - redis.call('ZCARD', KEYS.lanes)
    last_deadline = tonumber(redis.call('ZRANGE', KEYS.lanes, '-1', '-1', 'WITHSCORES')[2])
    local held_by_others, entries = 0, redis.call('HGETALL', shared_held)
    for i = 1, #entries, 2 do
      local n, till = string.match(entries[i + 1], '^(%d+) (%d+)')
      if entries[i] ~= KEYS.held and n and tonumber(till) > now then
        held_by_others = held_by_others + n
      elseif entries[i] ~= KEYS.held and n then
        redis.call('HDEL', shared_held, entries[i])
      end
    end
    free = limits.sm - held_by_others - in_flight
    local has_line = not waited and redis.call('EXISTS', line) == 1
    room = math.max(0, math.min(room, has_line and free - 1 or free))
  end
  if room < limit.room then
    limit.room, limit.name = room, room == allowed and 's' or 'sm'
  end
  limit.most = math.min(limit.most, room)

  -- Wakes the first lane in the line, for there is room; a lane whose instance does not listen is taken off it.
  local function wake_first()
    for _ = 1, 3 do
      local first = redis.call('ZRANGE', line, '0', '0')[1]
      if not first then
        return
      end
      local receivers = redis.pcall('PUBLISH', channel .. (string.match(first, '^[^.]+') or ''), first)
      if type(receivers) ~= 'number' or receivers > 0 then
        return
      end
      redis.call('ZREM', line, first)
    end
  end

  limit.after_claim = function(claimed)
    if of_queue then
      of_queue(claimed)
    end
    local time = rate and spend('q', rate, claimed, state)
    if limits.sm then
      if in_flight + claimed > 0 then
        redis.call('HSET', shared_held, KEYS.held, string.format('%d %.0f', in_flight + claimed, last_deadline))
        redis.call('PEXPIRE', shared_held, string.format('%.0f', math.max(last_deadline - now, 0) + 3600000))
      else
        redis.call('HDEL', shared_held, KEYS.held)
      end
      if wants and room == 0 and redis.call('EXISTS', KEYS.ready, KEYS.suspects, KEYS.turns) > 0 then
        redis.call('ZADD', line, 'NX', now, lane)
        redis.call('PEXPIRE', line, LINE_MS)
      elseif waited then
        redis.call('ZREM', line, lane)
      end
      if free > claimed and redis.call('ZRANGE', line, '0', '0')[1] ~= lane then
        wake_first()
      end
    end
    if claimed >= room then
      limit.time = math.max(limit.time or 0, claimed >= allowed and time or now + LOOK_MS)
    end
  end
end
