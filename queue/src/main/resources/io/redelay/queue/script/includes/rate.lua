-- rates_of(rates, bursts, clock, now): how many messages may be claimed in any window of a length; gives rate_of, allowance and spend.
--
-- A smooth rate is a generic cell rate: `rates` has the time up to which claimed messages are paid for, if each message costs an
-- interval. A claim may be ahead of that time by the slack, so that a late claim loses nothing. The interval is
-- longer by the slack's share, so a window still holds no more than the rate: of two claims that are as many messages
-- apart as the rate has, the second is later by count * interval - slack, which is more than the window.
-- A bursting rate is a log in `bursts`: how many were claimed when, in at most 51 entries a window. Claims within a
-- fiftieth of the window are one entry, of the later time: so an entry never leaves the window too early.
-- `rates` has for both the time after which the entry can be removed. A time too far ahead of the clock, since the clock went
-- back or the rate was another one, counts as the latest possible one.
--
-- reads    nothing
-- sets     rates_of

local function rates_of(rates, bursts, clock, now)
  local fine = now + tonumber(clock[2]) % 1000 / 1000 -- the time to the microsecond
  local LONGEST_SLACK, STEP, MARGIN = 1000, 20, 0.01 -- ms

  -- rate_of(word): the rate written as count/window in ms, and b behind it if it is bursting; a later version may write more behind
  -- that. nil if there is none.
  local function rate_of(word)
    local count, window, bursting = string.match(word or '', '^(%d+)/(%d+)(b?)')
    local rate = { count = tonumber(count), window = tonumber(window), bursting = bursting == 'b' }
    if not count or rate.count == 0 or rate.window > 1e15 then
      return nil
    end
    rate.slack = math.min(rate.window / 25, LONGEST_SLACK)
    rate.interval = (rate.window + rate.slack + MARGIN) / rate.count
    return rate
  end

  local function burst_allowance(member, rate)
    local entries, used, ahead = {}, 0, false
    for time, n in string.gmatch(redis.call('HGET', bursts, member) or '', '([%d.]+):(%d+)') do
      time, n = tonumber(time), tonumber(n)
      ahead = ahead or time > fine
      time = math.min(time, fine)
      if time + rate.window + MARGIN > fine then
        entries[#entries + 1] = { time, n }
        used = used + n
      end
    end
    return math.max(0, rate.count - used), { entries = entries, ahead = ahead }
  end

  -- allowance(member, rate): how many may be claimed now, and the state that spend needs.
  local function allowance(member, rate)
    if rate.bursting then
      return burst_allowance(member, rate)
    end
    local known, latest = tonumber(redis.call('ZSCORE', rates, member) or 0), fine + rate.slack + rate.interval
    local paid_until = math.min(math.max(fine, known), latest)
    local n = math.max(0, math.floor((fine + rate.slack - paid_until) / rate.interval) + 1)
    return n, { paid_until = paid_until, ahead = known > latest + 1 }
  end

  local function log_burst(member, rate, n, entries)
    local last = entries[#entries]
    if last and math.floor(last[1] * 50 / rate.window) == math.floor(fine * 50 / rate.window) then
      last[1], last[2] = fine, last[2] + n
    else
      entries[#entries + 1] = { fine, n }
    end
    local words = {}
    for i, entry in ipairs(entries) do
      words[i] = string.format('%.3f:%d', entry[1], entry[2])
    end
    redis.call('HSET', bursts, member, table.concat(words, ' '))
  end

  -- spend(member, rate, n, state): records n claimed messages. Gives when more may be claimed, late enough to be worth a claim.
  local function spend(member, rate, n, state)
    local paid_until = state.paid_until
    if n > 0 or state.ahead then
      if rate.bursting then
        log_burst(member, rate, n, state.entries)
        paid_until = fine + rate.window
      else
        -- Rounded up to what a number of that size can hold.
        paid_until = math.ceil((paid_until + n * rate.interval) * 1024) / 1024
      end
      redis.call('ZADD', rates, paid_until, member)
      local expiry = string.format('%.0f', redis.call('ZRANGE', rates, '-1', '-1', 'WITHSCORES')[2] + 1000)
      redis.call('PEXPIREAT', rates, expiry)
      redis.call('PEXPIREAT', bursts, expiry)
    end
    if rate.bursting then
      local first = state.entries[1]
      return math.ceil(first and first[1] + rate.window + MARGIN or now)
    end
    local worth = math.floor(math.min(rate.slack / 2, STEP) / rate.interval)
    return math.ceil(paid_until - rate.slack + worth * rate.interval)
  end

  return rate_of, allowance, spend
end
