-- Takes the next entries out of an inlet, adds the messages that were made of them, and adds those that cannot be sent to the dead
-- ones: all or nothing.
--
-- I1  an entry is in the inlet until this script has added its message.
-- I3  a repeated request number gets the same reply and changes nothing; a lower one and an unknown lane change nothing. Entries that
--     another instance has taken meanwhile are not taken again: if the entries are not as they were read, nothing is done.
-- I7  the first write is one that a full Redis refuses: all entries stay then. They are taken out last.
-- I9  messages that Redis has forgotten are added again under the same uids, and their entries, if they are back, are taken out.
-- I8  a queue that is full or closed takes none.
--
--@keys sent messages ready sleepers known meta
--@keys scheduled ids tries history expiries
--@keys dead dead:ids
--@keys keys tags outbox order waiting seats turns weights blocked busy rates bursts gates dedup dedup:expiries
--@keys completed completed:messages work completed:tags suspects held lanes past
--@keys inlet dead:messages
-- ARGV[1..] the first seven as of send.lua, of the messages; ARGV[4] may be empty
-- ARGV[8] the entries: how many, how many bytes they have, and the SHA-1 of a text that has of each its length, ':' and as many of its
--         bytes as ARGV[9] says; all that with blanks between. '0' if none are expected
-- ARGV[9] how many bytes of an entry the SHA-1 covers
-- ARGV[10] dead messages, all in one argument: of each with its length before it, the uid in two bytes, its envelope from behind the
--         opening brace and the cause of death in four
-- ARGV[11] if it is repeated: the entries, each with its length before it in four bytes, to be taken out where they are back
-- reply   words: what send.lua replies to the messages, of which there may be none
--         MOVED, now: the entries are not there any more
local inlet = KEYS.inlet
local count, size, digest = string.match(ARGV[8], '^(%d+) ?(%d*) ?(%x*)$')
count, size = tonumber(count), tonumber(size)

-- Whether the entries are the first ones of the inlet. It reads no more bytes than the entries have, but for the last one.
local function are_first()
  local length = redis.pcall('LLEN', inlet)
  if type(length) ~= 'number' or length < count then
    return false
  end
  local texts, longest = {}, tonumber(ARGV[9])
  for n = 1, count do
    local text = redis.call('LRANGE', inlet, n - 1, n - 1)[1]
    texts[n] = #text .. ':' .. string.sub(text, 1, longest)
    size = size - #text
    if size < 0 then
      return false
    end
  end
  return redis.sha1hex(table.concat(texts)) == digest
end

if count > 0 and not are_first() then
  reply = 'MOVED ' .. stamp
else
  local kept_dead = common.dead_of(KEYS.dead, KEYS.dead_messages, now)
  reply = send_to({ unpack(KEYS, 1, 36) }, { unpack(ARGV, 1, 7) }, now, stamp, common.add_specially)
  if string.byte(reply) == DELETED_BYTE then
    return reply
  end
  local is_done = string.sub(reply, 1, 3) == 'OK '
  if is_done then
    local packed, at = ARGV[10], 1
    while at <= #packed do
      local uid, body, cause
      uid, body, cause, at = struct.unpack('>I2c0I4c0I4c0', packed, at)
      if not redis.call('ZSCORE', KEYS.dead, uid) then
        kept_dead.keep(uid, '{"sentAt":' .. stamp .. ',' .. body, cause)
      end
    end
  end
  finish = function()
    if is_done and count > 0 then
      redis.call('LTRIM', inlet, count, -1)
    end
    if is_done and ARGV[11] then
      -- They were the first ones, one behind the other, so each is found at once, or none is.
      local texts, at = ARGV[11], 1
      while at <= #texts do
        local text
        text, at = struct.unpack('>I4c0', texts, at)
        local place = redis.pcall('LPOS', inlet, text, 'MAXLEN', 1000)
        if type(place) == 'number' then
          redis.call('LREM', inlet, 1, text)
        end
      end
    end
  end
end
