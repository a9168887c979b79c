-- Adds messages to each group of a topic, to all groups or to none. Each copy has the uid of the message. Of a group whose filter
-- leaves messages out, the request says which ones it gets.
--
-- I1  a group that is registered when the script runs gets its copy, unless its present filter leaves it out: the publisher names
--     the version of the groups and their filters that it knows. If that has changed, nothing is added and the reply lists the groups.
-- I3  a repeated request number gets the same reply and adds nothing; a lower one and an unknown lane add nothing.
-- I7  the first write is one that a full Redis refuses: nothing is added then, and the caller gets the error.
-- If one group is closed, or would be longer than its limit, no group gets the messages.
--
--@keys sent known groups log
-- sent:<lane>  the lane's last request number and its results
-- known        the version of the topic's groups
-- groups       group -> <since>,<how long it lives without a consumer, ms, or 0>,<when a consumer was last there>, and if a
--              filter was ever declared: ,<when>,<filter>
-- log          published messages, if they are kept
-- KEYS[5..]    of each group what send.lua names for its queue from messages on, known of the topic in place of its own
-- ARGV    the request, as of send.lua but for:
-- ARGV[1] request number    ARGV[2] how long an unused lane is remembered, ms; '' for as long as it is by now
-- ARGV[3], ARGV[4], ARGV[6], ARGV[7], ARGV[8] as of send.lua; ARGV[4] the messages
-- ARGV[5] with blanks between: the version of the groups that are named; for how long, how many and how many bytes of published
--         messages are kept, 0 if that is not limited, and all 0 if none are kept; and of each group its name, ':',
--         how many keys are named, ':' and its limit as in send.lua; and if its filter leaves messages out, ':' and where its own
--         arguments are, or '-' if it wants none
-- ARGV[9..] of each group with own arguments: of each message '1' if the group gets a copy or '0', and ARGV[7] as it would be if only
--         these were sent
-- reply   words: OK, now, and of each group: @<name> and what send.lua replies behind now; the name of a group that did not get all
--         has behind it ':' and of each message '1' or '0', or nothing if it got none
--         GROUPS, now, version, and of each group its name and its entry in groups
--         FULL, now, how many there are and perhaps a position, as of send.lua, group; CLOSED, now, group, which is named as above
--         GONE, now: the lane is unknown; DELETED, now: the topic is; STALE a later request was seen
--         BEHIND, now: Redis went back in time, and nothing was added
local known, groups, log = KEYS.known, KEYS.groups, KEYS.log
local packed = ARGV[4]
local version = redis.call('GET', known)
if not version then
  return 'DELETED ' .. stamp
end
local named, max_age, max_count, max_bytes, rest = string.match(ARGV[5], '^(%d*) (%d+) (%d+) (%d+) ?(.*)$')
if named ~= version then
  return 'GROUPS ' .. stamp .. ' ' .. version .. ' ' .. table.concat(redis.call('HGETALL', groups), ' ')
end

--@include selected
local targets, left_out = {}, {}
local at = 5
for name, count, limit, own in string.gmatch(rest, '([^%s:]+):(%d+):([^%s:]*):?(%S*)') do
  if own == '-' then
    left_out[#left_out + 1] = name
  else
    local keys, args = { sent, unpack(KEYS, at, at + count - 1) }, { unpack(ARGV, 1, 8) }
    args[5] = limit
    if own ~= '' then
      local marks = ARGV[tonumber(own)]
      args[4], args[7] = selected(packed, marks), ARGV[own + 1]
      name = name .. ':' .. marks
    end
    at = at + count
    targets[#targets + 1] = { keys, args, name }
  end
end

for _, target in ipairs(targets) do
  local refusal = send_to(target[1], target[2], now, stamp, common.add_specially, true)
  if refusal then
    reply = refusal .. ' ' .. target[3]
    break
  end
end
if not reply then
  reply = 'OK ' .. stamp
  for _, target in ipairs(targets) do
    local outcome = string.sub(send_to(target[1], target[2], now, stamp, common.add_specially), #stamp + 4)
    reply = reply .. ' @' .. target[3] .. outcome
  end
  for _, name in ipairs(left_out) do
    reply = reply .. ' @' .. name .. ':'
  end
  max_age, max_count, max_bytes = tonumber(max_age), tonumber(max_count), tonumber(max_bytes)
  if max_age + max_count + max_bytes > 0 then
    --@include retain
    retain(log, packed, max_age, max_count, max_bytes, now)
  end
end
