-- Keeps what handlers record of the messages that a lane holds, and renews the lane, in one trip.
--
-- I3  each record of a message has a number: the last one that was kept, or a lower one, is not kept again.
-- I4  nothing is kept of a message that the lane does not hold under that claim. Never revives a dead lane.
-- I6  bounded by the caller: at most 500 messages.
-- I7  the first write is one that a full Redis refuses: nothing is kept then, the reply says so, and the lane is renewed.
-- I9  if the lane's last answered request is ahead of the one that is remembered, the reply is BEHIND: Redis went back in time.
--
--@keys held lanes messages tries meta work shared:held
-- KEYS.meta    keyed, so that each claim names all keys; work -> whether `work` has anything; longest
-- KEYS.work    of each message uid/checkpoint, uid/progress, uid/log, and uid/written -> its holder, a blank and the number of what
--                 was kept last
-- KEYS.shared_held    given if the listener shares a limit with others; see includes/shared_limits.lua
-- ARGV[1] lane    ARGV[2] lease, ms    ARGV[3] number of its last request that was answered
-- ARGV[4..] four a message: uid, number of the claim, number of the record, and its parts, one behind the other: a letter, the length
--         of its text in bytes, ':', and the text:
--         c  the checkpoint, or nothing to remove it
--         p  the progress
--         l  lines to append to the log; see includes/append_log.lua
--         r  its failures and crashes are forgotten
-- reply   a list: OK, now, then two a message of which nothing was kept: its uid, and LOST if the lane does not hold it or FULL if
--         Redis is full; or GONE or BEHIND
--@include clock
--@include own_field
--@include marks
local held, messages, tries, meta, work = KEYS.held, KEYS.messages, KEYS.tries, KEYS.meta, KEYS.work
local lane = ARGV[1]
--@include living_lane
local memory, refusal = memory_of_lane(lane, tonumber(ARGV[3]))
if refusal then
  return { refusal }
end

local uids, written = {}, {}
for i = 4, #ARGV, 4 do
  local n = #uids + 1
  uids[n], written[n] = ARGV[i], ARGV[i] .. '/written'
end
local holders, before = {}, {}
if #uids > 0 then
  holders, before = redis.call('HMGET', held, unpack(uids)), redis.call('HMGET', work, unpack(written))
end

local reply, longest, any_kept, full = { 'OK', stamp }, 0, false, false
--@include append_log

local function keep(uid, sections)
  local at = 1
  while at <= #sections do
    local kind, length, from = string.match(sections, '^(%a)(%d+):()', at)
    local text = string.sub(sections, from, from + length - 1)
    if kind == 'c' and text == '' then
      redis.call('HDEL', work, uid .. '/checkpoint')
    elseif kind == 'c' then
      redis.call('HSET', work, uid .. '/checkpoint', text)
      longest = math.max(longest, redis.call('HSTRLEN', messages, uid) + #text + 128) -- see send_to
    elseif kind == 'p' then
      redis.call('HSET', work, uid .. '/progress', text)
    elseif kind == 'l' then
      append_log(uid, text)
    elseif kind == 'r' then
      redis.call('HDEL', tries, uid)
    end
    at = from + length
  end
end

for n, uid in ipairs(uids) do
  local i = 4 * n
  local token, number = lane .. CLAIM .. ARGV[i + 1], tonumber(ARGV[i + 2])
  local last_token, last = string.match(before[n] or '', '^(%S+) (%d+)$')
  local outcome
  if not holders[n] or string.match(holders[n], '^[^' .. SUSPECT .. BODILESS .. ']+') ~= token then
    outcome = 'LOST'
  elseif full then
    outcome = 'FULL'
  elseif last_token ~= token or tonumber(last) < number then
    local kept = redis.pcall('HSET', work, written[n], token .. ' ' .. ARGV[i + 2])
    if type(kept) == 'number' then
      any_kept = true
      keep(uid, ARGV[i + 3])
    elseif string.find(kept.err, 'OOM ', 1, true) then -- Redis 6.2 has the line of the script before it
      full, outcome = true, 'FULL'
    else
      return kept
    end
  end
  if outcome then
    reply[#reply + 1], reply[#reply + 2] = uid, outcome
  end
end
if any_kept then
  redis.call('HSET', meta, 'keyed', '1', 'work', '1')
  if longest > 4096 and longest > (tonumber(redis.call('HGET', meta, 'longest') or 0) or math.huge) then
    redis.call('HSET', meta, 'longest', longest)
  end
end
--@include renew
renew(lane, tonumber(ARGV[2]), memory, now)
return reply
