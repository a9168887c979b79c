-- await_lanes(lane, process, waits_till, has_sleepers, channel, now): a claim keeps back messages that another lane may hold, or have
-- finished, when Redis may have gone back in time. It waits until each lane whose lease is not over has made a request to this process,
-- which shows it that Redis went back, and has resumed, see resume. It waits no longer than MOST_WAIT_MS from the first claim that
-- waits: `back` in meta says when these end. A lane whose listener has opened another one counts until the resumption is over.
-- process: what the lane's record has of the process; waits_till: until when claims wait by now, or nil; has_sleepers: whether any lane
-- sleeps. Gives what the record is to have, and when to look again if the claim waits.
--
--@keys-of claim
-- reads    OWN_FIELD, PROCESS, wake
-- sets     await_lanes

--@include same_process
local function await_lanes(lane, process, waits_till, has_sleepers, channel, now)
  local MOST_WAIT_MS, LOOK_AGAIN_MS = 30000, 200
  local look_again = nil
  local here = process_now()
  if waits_till or process ~= here and (string.sub(process, 1, 1) == UNCHECKED or not is_this_process(process, here)) then
    local living = redis.call('ZRANGEBYSCORE', KEYS.lanes, string.format('(%.0f', now), '+inf', 'LIMIT', 0, 1000)
    local silent = false
    for n, name in ipairs(living) do
      living[n] = OWN_FIELD .. name
    end
    for n, entry in ipairs(#living > 0 and redis.call('HMGET', KEYS.held, unpack(living)) or {}) do
      local theirs = entry and living[n] ~= OWN_FIELD .. lane and string.match(entry, PROCESS)
      silent = silent or theirs and not is_this_process(theirs, here)
    end
    if silent and not waits_till then
      waits_till = now + MOST_WAIT_MS
      redis.call('HSET', KEYS.meta, 'back', string.format('%.0f', waits_till))
      for _ = 1, has_sleepers and 100 or 0 do -- each of them resumes at once
        if redis.call('ZCARD', KEYS.sleepers) == 0 then
          break
        end
        wake(KEYS.sleepers, channel)
      end
    elseif waits_till and not silent then
      redis.call('HDEL', KEYS.meta, 'back')
    end
    look_again = silent and waits_till > now and math.min(waits_till, now + LOOK_AGAIN_MS) or nil
  end
  return look_again and UNCHECKED .. here or here, look_again
end
