-- Settles what a lane has finished and claims what it can take next, in one trip.
--
-- I1  each message is in exactly one state; each move happens here, whole.
-- I2  nothing leaves SCHEDULED before its time by the master's clock.
-- I3  a request number seen before gives what the lane still holds of it, renewed, and takes nothing new; a lower one does
--     nothing; a lane that is unknown takes nothing.
-- I4  a settlement counts only for what the lane holds under that claim; but an acknowledgement also for what nobody holds.
--     What a dead lane held comes back as a suspect, of which a lane is given one at a time and only on request; a lane that
--     dies with a suspect is counted as that message's crash.
-- I6  every loop is bounded: by the caller (at most 1,000 wanted, 1,000 settled) or here.
-- I7  the first write deletes, so that a full Redis lets settlements pass.
--
-- KEYS[1]  messages       uid -> envelope
-- KEYS[2]  ready          list, next one first
-- KEYS[3]  suspects       list of those whose lane died
-- KEYS[4]  scheduled      zset by due time
-- KEYS[5]  held           uid -> lane/seq, with ! behind it if held as a suspect; @lane -> its last request; @sweep
-- KEYS[6]  lanes          zset by lease deadline
-- KEYS[7]  tries          uid -> failures or failures/crashes
-- KEYS[8]  dead           zset by time of death
-- KEYS[9]  dead:messages  uid -> envelope, uid/cause -> why
-- KEYS[10] ids            i:<id> -> uid, u:<uid> -> id
-- KEYS[11] sleepers       zset of lanes by the time at which they come back by themselves
-- KEYS[12] meta
-- ARGV[1] lane            ARGV[2] request number      ARGV[3] lease, ms
-- ARGV[4] wanted          ARGV[5] byte limit          ARGV[6] '1' to take a suspect too
-- ARGV[7] when the lane comes back by itself if there is nothing, ms; 0: it does not sleep
-- ARGV[8] wake channel, without the instance
-- ARGV[9] number of settlements, then five each: what ('ack', 'retry', 'back', 'bury'), uid, number of the claim, delay ms
--         (retry and back), cause (bury)
-- reply   {'OK', now, ms until something is due (0 at once, -1 nothing), number of refused settlements, their uids,
--          then five a message: uid, failures, crashes, '1' if a suspect, envelope}
--         {'GONE', now} the lane is dead: late acknowledgements were taken, nothing else; {'STALE'} a later request was seen
--@include clock
--@include wake
local messages, ready, suspects, scheduled, held, lanes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local tries, dead, dead_messages, ids, sleepers, meta = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local lane, seq, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local wanted, byte_limit, wants_suspect = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'
local sleep, channel, settlements = tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])

redis.call('ZREM', sleepers, lane)

local stamp = string.format('%.0f', now)
local memory = redis.call('HGET', held, '@' .. lane)
local last, last_refused, last_claimed
if memory then
  last, last_refused, last_claimed = string.match(memory, '^(%d+)|([^|]*)|(.*)$')
  last = tonumber(last)
  if seq < last then
    return { 'STALE' }
  end
end

-- counts(uid's entry in tries): failures, crashes or nil if it never lost its lane
local function counts(entry)
  if not entry then
    return 0, nil
  end
  local failures, crashes = string.match(entry, '^(%d+)/?(%d*)$')
  return tonumber(failures), tonumber(crashes)
end

local function words(text)
  local list = {}
  for word in string.gmatch(text, '%S+') do
    list[#list + 1] = word
  end
  return list
end

-- deliver(reply, uids, suspect): appends the messages that have a body, gives those uids
local function deliver(reply, uids, is_suspect)
  local delivered = {}
  if #uids == 0 then
    return delivered
  end
  local bodies = redis.call('HMGET', messages, unpack(uids))
  local entries = redis.call('HLEN', tries) > 0 and redis.call('HMGET', tries, unpack(uids)) or {}
  for i, uid in ipairs(uids) do
    if bodies[i] then
      local failures, crashes = counts(entries[i])
      local n = #reply
      reply[n + 1] = uid
      reply[n + 2] = failures
      reply[n + 3] = crashes or 0
      reply[n + 4] = is_suspect(uid) and '1' or '0'
      reply[n + 5] = bodies[i]
      delivered[#delivered + 1] = uid
    end
  end
  return delivered
end

if seq == last then
  redis.call('ZADD', lanes, 'XX', now + lease, lane)
  local reply = { 'OK', stamp, 0, 0 }
  for _, uid in ipairs(words(last_refused)) do
    reply[#reply + 1] = uid
  end
  reply[4] = #reply - 4
  local mine, as_suspect = {}, {}
  local claimed = words(last_claimed)
  if #claimed > 0 then
    local holders = redis.call('HMGET', held, unpack(claimed))
    for i, uid in ipairs(claimed) do
      as_suspect[uid] = holders[i] == lane .. '/' .. seq .. '!'
      if as_suspect[uid] or holders[i] == lane .. '/' .. seq then
        mine[#mine + 1] = uid
      end
    end
  end
  deliver(reply, mine, function(uid)
    return as_suspect[uid]
  end)
  return reply
end

-- Settlements ------------------------------------------------------------------------------------------------------

local refused = {}
local made_ready = false

local function settle()
  local uids = {}
  for i = 10, 9 + settlements * 5, 5 do
    uids[#uids + 1] = ARGV[i + 1]
  end
  local holders = redis.call('HMGET', held, unpack(uids))
  local let_go, done, late, buried = {}, {}, {}, {}
  local back = {}
  for n, uid in ipairs(uids) do
    local i = 5 + n * 5
    local what, token = ARGV[i], lane .. '/' .. ARGV[i + 2]
    local mine = holders[n] == token
    local was_suspect = holders[n] == token .. '!'
    if what == 'ack' and (mine or was_suspect or not holders[n]) then
      if holders[n] then
        let_go[#let_go + 1] = uid
        done[#done + 1] = uid
      elseif redis.call('HEXISTS', messages, uid) == 1 then
        late[#late + 1] = uid
        done[#done + 1] = uid
      end
    elseif not mine and not was_suspect then
      refused[#refused + 1] = uid
    else
      let_go[#let_go + 1] = uid
      local delay = tonumber(ARGV[i + 3])
      if what == 'retry' then
        local failures, crashes = counts(redis.call('HGET', tries, uid))
        redis.call('HSET', tries, uid, failures + 1 .. (crashes and '/' .. crashes or ''))
      end
      if what == 'bury' then
        local body = redis.call('HGET', messages, uid)
        if body then
          redis.call('HSET', dead_messages, uid, body, uid .. '/cause', ARGV[i + 4])
          redis.call('ZADD', dead, now, uid)
        end
        buried[#buried + 1] = uid
      elseif delay > 0 then
        redis.call('ZADD', scheduled, now + 1 + delay, uid)
      elseif what == 'retry' then
        redis.call('RPUSH', ready, uid)
        made_ready = true
      else
        back[#back + 1] = { uid, was_suspect and suspects or ready }
        made_ready = true
      end
    end
  end
  for n = #back, 1, -1 do
    redis.call('LPUSH', back[n][2], back[n][1])
  end
  if #let_go > 0 then
    redis.call('HDEL', held, unpack(let_go))
  end
  if #late > 0 then
    redis.call('ZREM', scheduled, unpack(late))
  end
  if #done > 0 and redis.call('HLEN', ids) > 0 then
    local names = {}
    for _, uid in ipairs(done) do
      names[#names + 1] = 'u:' .. uid
    end
    local fields = {}
    for n, id in ipairs(redis.call('HMGET', ids, unpack(names))) do
      if id then
        fields[#fields + 1] = names[n]
        fields[#fields + 1] = 'i:' .. id
      end
    end
    if #fields > 0 then
      redis.call('HDEL', ids, unpack(fields))
    end
  end
  for _, uid in ipairs(buried) do
    done[#done + 1] = uid
  end
  if #done > 0 then
    redis.call('HDEL', messages, unpack(done))
    if redis.call('HLEN', tries) > 0 then
      redis.call('HDEL', tries, unpack(done))
    end
  end
end

if settlements > 0 then
  settle()
end
if not memory then
  return { 'GONE', stamp }
end
redis.call('ZADD', lanes, now + lease, lane)

-- Dead lanes -------------------------------------------------------------------------------------------------------

-- One bounded step through `held`: what a lane held whose lease had run out when the sweep began becomes a suspect. The
-- lanes themselves go when all of `held` was seen. A lane that renews itself meanwhile lives on with what it still holds.
local function sweep()
  local cursor, began = '0', now
  local progress = redis.call('HGET', held, '@sweep')
  local entries
  if progress then
    cursor, began = string.match(progress, '^(%d+) (%d+)$')
    began = tonumber(began)
  end
  if not progress and redis.call('HLEN', held) <= 512 then
    entries = redis.call('HGETALL', held)
  else
    local page = redis.call('HSCAN', held, cursor, 'COUNT', 512)
    cursor, entries = page[1], page[2]
  end
  local died = {} -- lane -> whether its lease had run out
  for i = 1, #entries, 2 do
    local uid = entries[i]
    if string.byte(uid) ~= 64 then -- @
      local holder, mark = string.match(entries[i + 1], '^(.-)/%d+(!?)$')
      if died[holder] == nil then
        local deadline = redis.call('ZSCORE', lanes, holder)
        died[holder] = not deadline or tonumber(deadline) <= began
      end
      if died[holder] then
        local failures, crashes = counts(redis.call('HGET', tries, uid))
        redis.call('HDEL', held, uid)
        redis.call('HSET', tries, uid, failures .. '/' .. (crashes or 0) + (mark == '!' and 1 or 0))
        redis.call('RPUSH', suspects, uid)
        made_ready = true
      end
    end
  end
  if cursor ~= '0' then
    redis.call('HSET', held, '@sweep', cursor .. ' ' .. string.format('%.0f', began))
    return true
  end
  redis.call('HDEL', held, '@sweep')
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', lanes, '-inf', began, 'LIMIT', 0, 1000)) do
    redis.call('HDEL', held, '@' .. gone)
    redis.call('ZREM', lanes, gone)
  end
  return false
end

local more_to_sweep = false
local oldest = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
if tonumber(oldest[2]) <= now then
  more_to_sweep = sweep()
  oldest = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
end

-- Claims -----------------------------------------------------------------------------------------------------------

local reply = { 'OK', stamp, -1, #refused }
for _, uid in ipairs(refused) do
  reply[#reply + 1] = uid
end
local taken, left_over = {}, false

local function hold(uids, mark)
  local entries = {}
  for _, uid in ipairs(uids) do
    entries[#entries + 1] = uid
    entries[#entries + 1] = lane .. '/' .. seq .. mark
    taken[#taken + 1] = uid
  end
  if #entries > 0 then
    redis.call('HSET', held, unpack(entries))
  end
end

if wanted > 0 then
  local due = redis.call('ZRANGEBYSCORE', scheduled, '-inf', now, 'LIMIT', 0, math.max(100, wanted * 2))
  if #due > 0 then
    redis.call('RPUSH', ready, unpack(due))
    redis.call('ZREM', scheduled, unpack(due))
    made_ready = true
  end
  if wants_suspect then
    for _ = 1, 20 do
      local uid = redis.call('LPOP', suspects)
      if not uid then
        break
      end
      local delivered = deliver(reply, { uid }, function()
        return true
      end)
      if #delivered > 0 then
        hold(delivered, '!')
        break
      end
    end
  end
  local longest
  for _ = 1, 10 do -- rounds: an entry whose message is gone is passed over
    if #taken >= wanted or left_over then
      break
    end
    local uids = redis.call('LRANGE', ready, 0, wanted - #taken - 1)
    if #uids == 0 then
      break
    end
    longest = longest or tonumber(redis.call('HGET', meta, 'longest') or 0)
    if longest * #uids > byte_limit then
      local fits
      for i, uid in ipairs(uids) do
        byte_limit = byte_limit - redis.call('HSTRLEN', messages, uid)
        if byte_limit < 0 and (i > 1 or #taken > 0) then
          break
        end
        fits = i
      end
      fits = fits or 0
      left_over = fits < #uids
      for i = #uids, fits + 1, -1 do
        uids[i] = nil
      end
    end
    if #uids > 0 then
      redis.call('LTRIM', ready, #uids, -1)
      hold(deliver(reply, uids, function()
        return false
      end), '')
    end
  end
end
redis.call('HSET', held, '@' .. lane, seq .. '|' .. table.concat(refused, ' ') .. '|' .. table.concat(taken, ' '))

if #taken > 0 then
  redis.call('PERSIST', held)
  redis.call('PERSIST', lanes)
elseif redis.call('HLEN', held) == redis.call('ZCARD', lanes) then
  redis.call('PEXPIRE', held, lease * 2)
  redis.call('PEXPIRE', lanes, lease * 2)
end

-- What comes next --------------------------------------------------------------------------------------------------

local ready_left = redis.call('EXISTS', ready) == 1
if (#taken > 0 or made_ready) and (ready_left or redis.call('EXISTS', suspects) == 1) then
  wake(sleepers, channel)
end
if more_to_sweep or (ready_left and wanted > 0) then
  reply[3] = 0
elseif #taken == wanted or sleep == 0 then
  watch(scheduled, sleepers, channel, now)
else
  local until_next = redis.call('ZRANGE', scheduled, 0, 0, 'WITHSCORES')[2]
  local other = oldest[1] == lane and redis.call('ZRANGE', lanes, 1, 1, 'WITHSCORES') or oldest
  if other[2] and (not until_next or tonumber(other[2]) < tonumber(until_next)) then
    until_next = other[2]
  end
  if until_next then
    reply[3] = math.max(0, until_next - now)
  end
  local back = now + sleep
  if until_next and tonumber(until_next) < back then
    back = until_next
  end
  redis.call('ZREMRANGEBYSCORE', sleepers, '-inf', now - 60000)
  redis.call('ZADD', sleepers, back, lane)
  local latest = redis.call('ZRANGE', sleepers, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIREAT', sleepers, string.format('%.0f', latest + 60000))
end
return reply
