-- send_to(KEYS, ARGV, only_looks): adds messages to a queue, all or none. KEYS and ARGV are described in the header of send.lua.
-- Gives the reply of that, but does not remember it for the lane. only_looks: changes nothing, and gives the refusal, or nil
-- if the messages would be added; after that, adding them within the same script is not refused.
-- tells_deleted(reply): whether the queue is not known any more, so that nothing is to be remembered.
--
-- Each new string costs, as Lua reads each byte of it, and so does each formatted number.
--
-- reads    ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], KEYS[..], KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6],
--          KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15], KEYS[16], KEYS[17], KEYS[18],
--          KEYS[29], KEYS[30], KEYS[32], KEYS[34], KEYS[37], now, stamp
-- sets     send_to, tells_deleted
local function send_to(KEYS, ARGV, only_looks)
  local sent, messages, ready, sleepers, known, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
  local channel, packed = ARGV[3], ARGV[4]

  --@paste send_presence

  local RETURNED_BYTE = 33 -- !
  if settings[2] and string.byte(ARGV[6] or '', -1) ~= RETURNED_BYTE then
    return 'CLOSED ' .. stamp
  elseif only_looks and (not KEYS[7] or (ARGV[5] or '') == '' and not settings[3]) then
    return nil
  end
  local reply = 'OK ' .. stamp

  local MESSAGE = '>I2c0I4c0' -- how struct reads one
  local times = '{"sentAt":' .. stamp .. ','
  local longest = 0 -- of the envelopes that are added, bytes
  local any_now, any_later = not KEYS[7], false -- whether any message is ready, or scheduled

  if KEYS[7] then
    local scheduled, ids, tries, history, expiries = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
    local dead, dead_ids, held = KEYS[12], KEYS[13], KEYS[15]
    local index -- how to deal with messages that have keys or priorities, if there may be any
    if KEYS[18] then
      local index_at = 18
      --@paste index
    end
    --@paste when
    --@paste names
    --@paste free_id
    --@paste forget_living
    --@paste expiry
    --@paste send_specially
  else
    local uid, body, at = struct.unpack(MESSAGE, packed)
    body = times .. body
    longest = #body
    if at > #packed then -- one message, as mostly
      redis.call('HSET', messages, uid, body)
      redis.call('RPUSH', ready, uid)
    else
      local bodies, uids, n = { uid, body }, { uid }, 1
      repeat
        uid, body, at = struct.unpack(MESSAGE, packed, at)
        body = times .. body
        if #body > longest then
          longest = #body
        end
        n = n + 1
        bodies[2 * n - 1], bodies[2 * n], uids[n] = uid, body, uid
        if n == 500 or at > #packed then
          redis.call('HSET', messages, unpack(bodies))
          redis.call('RPUSH', ready, unpack(uids))
          bodies, uids, n = {}, {}, 0
        end
      until at > #packed
    end
  end

  -- For claims, which are limited by bytes. Lengths up to 4096 are not distinguished, so a queue of usual messages has no entry
  -- and none is looked for. Steering may add 128 bytes: when the message is due, and an id.
  longest = longest + 128
  if longest > 4096 and longest > (tonumber(settings[1] or 0) or math.huge) then
    redis.call('HSET', meta, 'longest', longest)
  end

  if somebody_sleeps then
    --@paste wake
    if any_now then
      wake(sleepers, channel)
    end
    if any_later then
      watch(redis.call('ZRANGE', KEYS[7], 0, 0, 'WITHSCORES')[2], sleepers, channel, now)
    end
  end
  return reply
end

local DELETED_BYTE = 68 -- D
local function tells_deleted(reply)
  return string.byte(reply) == DELETED_BYTE
end
