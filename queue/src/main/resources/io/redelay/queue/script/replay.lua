-- Adds published messages to a group of a topic again, one step: the next kept messages, each under a new uid and with its former
-- id. A message whose due time is over is due at once, and none earlier than the first time; one that would have expired by now is
-- passed over, as is one that the group still has under its first uid.
--
-- I3  a repeated request number gets the same reply and adds nothing; a lower one and an unknown lane add nothing.
-- I7  the first write is one that a full Redis refuses.
--
--@keys sent known groups log messages
-- sent:<lane>  of the group's queue, the lane's last request number and its results
-- known        of the topic
-- groups       of the topic
-- log          published messages
-- KEYS[5..]    what send.lua names from messages on for a message with an id and keys, known of the topic in place of the queue's own
-- ARGV    the request, as of send.lua but for:
-- ARGV[1] request number    ARGV[2] how long an unused lane is remembered, ms    ARGV[3] wake channel
-- ARGV[4] with blanks between: group; its filter or '-', for which ARGV[9] was made; the first entry of the log, or '(' and the last
--         one that was given; the last entry, or '+'; how many entries at most; how many bytes, of which the last message may be
--         more; and a new uid, from which those of the messages are made
-- ARGV[5] limit of the queue's length, as of send.lua; ARGV[6], ARGV[7], ARGV[8] are empty or not given
-- ARGV[9] the entries that the filter of the group leaves out, with a blank before and behind each; not given if it has none
-- reply   words: OK, now, how many were added, the last entry that was read or '-', 1 if there may be more or 0, the last entry to add
--         UNKNOWN, now: there is no such group; GROUPS, now: it has another filter; FULL, now and more, as of send.lua; CLOSED, now;
--         DELETED, now: the topic is
--         GONE, now: the lane is unknown; STALE a later request was seen; BEHIND, now: Redis went back in time
local groups, log, messages = KEYS.groups, KEYS.log, KEYS.messages
local group, filter, first, last_id, most, max_bytes, uid_base =
  string.match(ARGV[4], '^(%S+) (%S+) (%S+) (%S+) (%d+) (%d+) (%S+)$')
most, max_bytes = tonumber(most), tonumber(max_bytes)
local registered, left_out = redis.call('HGET', groups, group), ARGV[9] or ''
if not registered then
  return 'UNKNOWN ' .. stamp
elseif (string.match(registered, '^%d+,%d+,%d+,%d+,(%S+)$') or '-') ~= filter then
  return 'GROUPS ' .. stamp
end
if last_id == '+' then -- the group gets later messages anyway
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  last_id = newest and newest[1] or '0-0'
end
local MESSAGE_FORMAT = '>I2c0I4c0'
local META_AT = 9 -- in KEYS
local far_head = redis.call('HGET', KEYS[META_AT], 'far')
local far_parts = far_head and far_of()
far_head = far_head and far_parts.numbers(far_head) and far_head
local added, bytes, reached, more = {}, 0, '-', false
for n = 1, most do
  local entry = redis.call('XRANGE', log, reached == '-' and first or '(' .. reached, last_id, 'COUNT', 1)[1]
  more = entry ~= nil and entry ~= false
  if not more or bytes >= max_bytes then
    break
  end
  reached = entry[1]
  local published = string.match(reached, '^%d+')
  local head, body = struct.unpack(MESSAGE_FORMAT, entry[2][2])
  local uid, when, id, attributes = parts(head)
  local due = tonumber(published)
  if string.byte(when) == 64 then -- @
    due = tonumber(string.sub(when, 2))
  elseif when ~= '' then
    due = published + 1 + tonumber(string.sub(when, 2))
  end
  local ends = expiry('{"sentAt":' .. stamp .. ',' .. body, due) -- a deadline that is a duration begins anew
  if (not ends or ends > now) and not string.find(left_out, ' ' .. reached .. ' ', 1, true)
    and redis.call('HEXISTS', messages, uid) == 0 and not (far_head and far_parts.line(messages, far_head, uid)) then
    head = uid_base .. '.' .. n .. '\0' .. (due > now and '@' .. string.format('%.0f', due) or '') .. '\0' .. (id ~= '' and id or uid)
      .. '\0' .. (attributes or '')
    if id == '' then
      body = '"id":"' .. uid .. '",' .. body
    end
    added[#added + 1] = struct.pack('>I2c0I4c0', #head, head, #body, body)
    bytes = bytes + #body
  end
end

local adds = true
if #added > 0 then
  local keys, args = { sent, unpack(KEYS, 5) }, { unpack(ARGV) }
  args[4] = table.concat(added)
  reply = send_to(keys, args, now, stamp, common.add_specially)
  adds = string.sub(reply, 1, 3) == 'OK '
end
if adds then
  reply = 'OK ' .. stamp .. ' ' .. string.format('%d', #added) .. ' ' .. reached .. (more and ' 1 ' or ' 0 ') .. last_id
end
