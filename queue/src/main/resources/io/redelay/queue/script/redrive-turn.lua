-- Gives one instance at a time the turn to redrive the dead messages of a queue by its rule, and keeps when it redrives next.
--
-- I3  a request with the number of an earlier one of its owner changes nothing.
-- I4  an instance has the turn for as long as its lease lasts, which each request renews. One that has lost it gets OTHER.
-- I7  the first write deletes: a full Redis lets dead messages be redriven.
-- I8  the key expires.
-- I9  an owner that gets another number than that of its last request knows that Redis went back in time.
--
--@keys redrive
-- KEYS.redrive   owner -> instance that has the turn; till -> when the lease is over; number -> of its last request; plan -> the
--                   rule for the times; next -> the next time of the rule: of a cron expression, that up to which deaths are redriven
--                   then; stayed -> time of death of the youngest message that stays dead after its last round
-- ARGV[1] instance, '' only to look, without the others            ARGV[2] how long its lease is, ms, 0 to give the turn up
-- ARGV[3] number of the request
-- ARGV[4] plan: another one removes the next time                  ARGV[5] the next time, ms, 0 for none, or '' to leave it
-- ARGV[6] the value of stayed, ms, or '' to leave it
-- reply   a list: OK, now, the next time or '', the number of the request before or '' if another one, or none, had the turn
--         OTHER, now, when the lease of the instance that has the turn is over
--         LOOK, now, the next time or '', '1' if an instance has the turn or '0', the value of stayed or ''
--@include clock
local redrive, instance = KEYS.redrive, ARGV[1]
local DAY_MS = 86400000
local owner, till, last, planned, next_time = unpack(redis.call('HMGET', redrive, 'owner', 'till', 'number', 'plan', 'next'))
if instance == '' then
  local held = owner and tonumber(till) > now
  return { 'LOOK', stamp, next_time or '', held and '1' or '0', redis.call('HGET', redrive, 'stayed') or '' }
end
local lease, number, plan, following = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local is_mine = owner == instance
if owner and not is_mine and tonumber(till) > now then
  return { 'OTHER', stamp, till }
elseif is_mine and number <= tonumber(last) then
  return { 'OK', stamp, next_time or '', last }
end
redis.call('HDEL', redrive, '') -- deletes nothing
if planned ~= plan then
  next_time = false
  redis.call('HDEL', redrive, 'next')
end
-- A request of an owner that has lost the turn since, which arrives late, must not put the time back.
if following == '0' and is_mine then
  next_time = false
  redis.call('HDEL', redrive, 'next')
elseif following ~= '' and is_mine then
  next_time = following
  redis.call('HSET', redrive, 'next', following)
end
if ARGV[6] ~= '' and is_mine then
  redis.call('HSET', redrive, 'stayed', ARGV[6])
end
if lease > 0 then
  redis.call('HSET', redrive, 'owner', instance, 'till', string.format('%.0f', now + lease), 'number', ARGV[3], 'plan', plan)
else
  redis.call('HDEL', redrive, 'owner', 'till', 'number')
end
redis.call('PEXPIREAT', redrive, string.format('%.0f', math.max(now + lease, tonumber(next_time or 0)) + DAY_MS))
return { 'OK', stamp, next_time or '', is_mine and last or '' }
