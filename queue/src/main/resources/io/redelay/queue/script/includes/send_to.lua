-- send_to(KEYS, ARGV, now, stamp, add_specially, only_looks): adds messages to a queue, all or none. KEYS and ARGV are described in
-- the header of send.lua. add_specially: see send_specially; not needed for messages that are plain and due now. Gives the reply of
-- send, but does not remember it for the lane. only_looks: changes nothing, and gives the refusal, or nil if the messages would be
-- added; after that, adding them within the same script is not refused.
-- DELETED_BYTE: the first byte of the reply if the queue is not known any more, so that nothing is to be remembered.
--
-- Each new string costs, as Lua reads each byte of it, and so does each formatted number.
--
--@keys-of send
-- reads    wake
-- sets     DELETED_BYTE, send_to
local DELETED_BYTE = 68 -- D
local function send_to(KEYS, ARGV, now, stamp, add_specially, only_looks)
  local messages, ready, sleepers, known, meta = KEYS.messages, KEYS.ready, KEYS.sleepers, KEYS.known, KEYS.meta
  local channel, packed = ARGV[3], ARGV[4]

  -- One EXISTS of three keys, as each call costs: one counts once, one twice and one four times, so the sum shows which are there.
  local found = redis.call('EXISTS', known, meta, meta, sleepers, sleepers, sleepers, sleepers)
  if found % 2 == 0 then
    return 'DELETED ' .. stamp
  end
  local settings = found % 4 > 1 and redis.call('HMGET', meta, 'longest', 'closed', 'line', 'far') or {}
  local RETURNED_BYTE = 33 -- !
  if settings[2] and string.byte(ARGV[6] or '', -1) ~= RETURNED_BYTE then
    return 'CLOSED ' .. stamp
  elseif only_looks and (not KEYS.scheduled or (ARGV[5] or '') == '' and not settings[3]) then
    return nil
  end
  local reply = 'OK ' .. stamp

  local longest = 0 -- of the envelopes that are added, bytes
  local any_now, any_later = not KEYS.scheduled, false -- whether any message is ready, or scheduled

  if KEYS.scheduled then
    local refusal, reply_words
    refusal, longest, any_now, any_later, reply_words = add_specially(KEYS, ARGV, now, stamp, only_looks, settings)
    if refusal or only_looks then
      return refusal
    end
    reply = reply .. reply_words
  else
    local MESSAGE = '>I2c0I4c0' -- how struct reads one
    local times = '{"sentAt":' .. stamp .. ','
    local own = 8 -- where the last body was that is an argument of its own
    local uid, body, at = struct.unpack(MESSAGE, packed)
    if body == '' then
      own = own + 1
      body = ARGV[own]
    end
    body = times .. body
    longest = #body
    if at > #packed then -- one message, as mostly
      redis.call('HSET', messages, uid, body)
      redis.call('RPUSH', ready, uid)
    else
      local bodies, uids, n = { uid, body }, { uid }, 1
      local chunks = { bodies, uids } -- written when all are read: an envelope that is not there is an error
      repeat
        uid, body, at = struct.unpack(MESSAGE, packed, at)
        if body == '' then
          own = own + 1
          body = ARGV[own]
        end
        body = times .. body
        if #body > longest then
          longest = #body
        end
        n = n + 1
        bodies[2 * n - 1], bodies[2 * n], uids[n] = uid, body, uid
        if n == 500 and at <= #packed then
          bodies, uids, n = {}, {}, 0
          chunks[#chunks + 1], chunks[#chunks + 2] = bodies, uids
        end
      until at > #packed
      for i = 1, #chunks, 2 do
        redis.call('HSET', messages, unpack(chunks[i]))
        redis.call('RPUSH', ready, unpack(chunks[i + 1]))
      end
    end
  end

  -- For claims, which are limited by bytes. Lengths up to 4096 are not distinguished, so a queue of usual messages has no entry
  -- and none is looked for. Steering may add 128 bytes: when the message is due, and an id.
  longest = longest + 128
  if longest > 4096 and longest > (tonumber(settings[1] or 0) or math.huge) then
    redis.call('HSET', meta, 'longest', longest)
  end

  if found > 3 then -- there are sleepers
    if any_now then
      wake(sleepers, channel)
    end
    if any_later then
      wake(sleepers, channel, now, redis.call('ZRANGE', KEYS.scheduled, 0, 0, 'WITHSCORES')[2])
    end
  end
  return reply
end
