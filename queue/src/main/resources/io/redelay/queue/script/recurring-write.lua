-- Replaces the record of a recurring message, unless that has changed meanwhile; in the same step messages of it that are not due
-- yet are removed and others are added.
--
-- I1  the record names the message of the next tick, and that message is there: both change here, whole.
-- I2  a message is due at its tick by the master's clock.
-- I3  the record has a number that grows with each change: a repeated request finds its own replacement, or a later one,
--     and does nothing.
-- I7  the first write is one that a full Redis refuses, so that nothing is done then; to forget a recurring message it deletes.
--
--@keys-of steer
-- sent             in its place: recurring   name -> uids of its messages with blanks between, a line feed, JSON;
--                  name/state -> see includes/run_states.lua
-- ARGV[1] name of the recurring message
-- ARGV[2] its former record, '' if it had none    ARGV[3] its new record, '' for none
-- ARGV[4] wake channel, without the instance     ARGV[5] uids of messages that are to be removed if they are not due, as words
-- ARGV[6] its state from now on, as includes/run_states.lua has it, '' to leave it as it is
-- ARGV[7..] four a message that is to be added, up to 10: its uid; when it is due, ms; its envelope from behind the opening brace;
--         its attributes (see includes/attributes.lua), '' if it has none
-- reply   a list: OK, now; or CHANGED, now: its record was another one
local recurring, messages, ready, scheduled, sleepers = KEYS.sent, KEYS.messages, KEYS.ready, KEYS.scheduled, KEYS.sleepers
local meta, tries, history, expiries = KEYS.meta, KEYS.tries, KEYS.history, KEYS.expiries
local name, expected, replacement, channel = number, ARGV[2], ARGV[3], ARGV[4]

local known = redis.call('HGET', recurring, name) or ''
if known == replacement then
  return { 'OK', stamp }
elseif known ~= expected then
  return { 'CHANGED', stamp }
end
if replacement == '' then
  redis.call('HDEL', recurring, name, name .. '/state')
else
  redis.call('HSET', recurring, name, replacement)
  if ARGV[6] ~= '' then
    redis.call('HSET', recurring, name .. '/state', ARGV[6])
  end
end

local index = index_of(KEYS, KEYS_AT.keys, messages, ready, KEYS.dead, meta, now)
index.scheduled, index.tries, index.history, index.expiries = scheduled, tries, history, expiries
for uid in string.gmatch(ARGV[5], '%S+') do
  -- A due message may be in a list or held: its consumer finds that the record does not name it any more.
  local due = redis.call('ZSCORE', scheduled, uid)
  if due and tonumber(due) > now then
    index.ended({ uid }, index.attributes_of({ uid }))
    common.forget_living(index, uid)
  end
end

local longest = 0
for i = 7, #ARGV, 4 do
  local uid, due, attributes = ARGV[i], ARGV[i + 1], ARGV[i + 3]
  local body = '{"sentAt":' .. stamp .. ',"dueAt":' .. due .. ',' .. ARGV[i + 2]
  redis.call('HSET', messages, uid, body)
  redis.call('ZADD', scheduled, due, uid)
  if attributes ~= '' then
    redis.call('HSET', index.keys, uid, attributes)
    index.tag({ uid, attributes })
    redis.call('HSET', meta, 'keyed', '1')
  end
  longest = math.max(longest, #body + 128)
end
-- As for a send.
if longest > 4096 and longest > (tonumber(redis.call('HGET', meta, 'longest') or 0) or math.huge) then
  redis.call('HSET', meta, 'longest', longest)
end
if redis.call('EXISTS', sleepers) == 1 then
  if index.promoted > 0 then
    wake(sleepers, channel)
  end
  wake(sleepers, channel, now, redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2])
end
return { 'OK', stamp }
