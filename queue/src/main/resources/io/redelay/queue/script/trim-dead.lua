-- Removes dead messages beyond a number, an age and a size, the oldest first, in bounded steps. One that is being forwarded stays.
--
-- I1  the reply lists the removed messages.
-- I3  a repeated request number gets the same reply and changes nothing; a lower one and an unknown lane change nothing.
-- I7  the first write deletes, whether there is something to remove or not: a full Redis can be emptied.
--
--@keys-of steer
-- ARGV[1] request number    ARGV[2] how long an unused lane is remembered, ms
-- ARGV[3] how many may stay    ARGV[4] how old they may be, ms
-- ARGV[5] wake channel, without the instance             ARGV[6] how many bytes may stay, or '' for any number
-- reply   words: OK, now, 1 if there may be more to trim or 0, then the uids that were removed
--         GONE, now: the lane is unknown; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was done
local most, oldest = tonumber(ARGV[3]), now - tonumber(ARGV[4])
channel = ARGV[5]
redis.call('ZREM', dead, '') -- deletes nothing

local excess = redis.call('ZCARD', dead) - most
local aged = redis.call('ZCOUNT', dead, '-inf', '(' .. string.format('%.0f', oldest))
local trimmed = math.max(excess, aged) -- how many from the first one on, those that stay among them
local PAGE = 500
local surplus = ARGV[6] ~= '' and (tonumber(redis.call('HGET', dead_messages, kept_dead.BYTES)) or 0) - tonumber(ARGV[6]) or 0
local stay = 0 -- how many that are being forwarded
for _ = 1, (trimmed > 0 or surplus > 0) and 10 or 0 do -- pages, until one has something to remove
  local page = redis.call('ZRANGE', dead, stay, stay + PAGE - 1)
  local looked = 0
  for _, uid in ipairs(page) do
    if stay + #words - 2 > trimmed and surplus <= 0 then
      break
    end
    looked = looked + 1
    if redis.call('HEXISTS', dead_messages, uid .. '/to') == 0 then
      surplus = surplus - kept_dead.size(uid)
      common.forget_dead(kept_dead, index, ids, dead_ids, uid)
      common.free_id(ids, uid)
      words[#words + 1] = uid
    else
      stay = stay + 1
    end
  end
  if looked < PAGE then
    break
  elseif #words > 3 then
    words[3] = '1'
    break
  end
end
