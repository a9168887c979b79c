-- Far messages: scheduled ones whose envelopes lie packed in chunks, as their time is far away. Clients pack and unpack them, see pack
-- and thaw; all else that a queue has of a message stays where it is. The field `far` of meta is there while there are any: how many
-- they are, the number of the next chunk, how many buckets there may be, how many of these are there, and how long before their time
-- they come near, ms: the least that any of those that pack has. So two that have other horizons do not move the same ones back and forth.
-- A bucket is a field of `messages`, so that no queue with far messages seems to be empty: @ and its number, from 0. Its text has a line
-- of each of its messages: uid, number of the chunk, due time. There are more of them as messages come, by linear hashing.
-- Of the chunks `far` has the number by the earliest due time, and `far:chunks` the packed messages by the number, and by n and
-- the number how many of them are there still, the latest due time, and how many there were. A line that is gone takes its message
-- out of the chunk. Where none is there, the number of the next one is the clock in ms, and else one higher than the last: so a number
-- is not used again.
--
-- far_of(): a table of functions, as most requests need none of them:
-- numbers(head): what the field `far` of meta has, and what is behind that; nothing if it cannot be read.
-- bucket(uid, buckets): the name of the field in which a message has its line.
-- line(messages, head, uid): number of the chunk and due time of a far message, the name of its bucket and what else that has;
-- nothing if it is no far message.
-- left(chunks, number): how many messages of a chunk are there still, and the text behind that; nothing if that cannot be read.
-- sha1(bytes): the SHA-1 of the bytes of a chunk, given those or what stands in their place.
--
-- reads    nothing
-- sets     far_of
local function far_of()
  local parts, level = {}, 1

  parts.numbers = function(head)
    return string.match(head or '', '^(%d+) (%d+) (%d+) (%d+)(.*)$')
  end

  parts.bucket = function(uid, buckets)
    while level * 2 <= buckets do
      level = level * 2
    end
    while level > buckets do
      level = level / 2
    end
    local bucket = tonumber(string.sub(redis.sha1hex(uid), 1, 8), 16) % (level * 2)
    return '@' .. string.format('%d', bucket < buckets and bucket or bucket - level)
  end

  parts.line = function(messages, head, uid)
    local _, _, buckets = parts.numbers(head)
    local bucket = parts.bucket(uid, tonumber(buckets) or error('how many messages are packed cannot be read'))
    local text = redis.call('HGET', messages, bucket) or ''
    local first, last = string.find('\n' .. text, '\n' .. uid .. ' ', 1, true)
    if first then
      local chunk, due, rest = string.match(text, '^(%d+) (%d+)\n()', last)
      return chunk, due, bucket, chunk and string.sub(text, 1, first - 1) .. string.sub(text, rest)
    end
  end

  parts.left = function(chunks, number)
    return string.match(redis.call('HGET', chunks, 'n' .. number) or '', '^(%d+)( %d+.*)$')
  end

  parts.sha1 = function(bytes)
    return string.match(bytes, '^%*(%x+)$') or redis.sha1hex(bytes) -- see includes/cold.lua
  end

  return parts
end
