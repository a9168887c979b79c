-- packable(uids, dues): of each of several scheduled messages that have a body, whether it may be packed; see far. Those stay near of
-- which more than the envelope is looked at before they are due: members of bundles, messages in which payloads gather, those with a
-- place in a line, ticks of recurring messages, messages that have failed or were handled in part, and
-- those that expire before they are due. So do those that a lane may have held, see was_held.
--
--@keys-of far-look
-- reads    nothing
-- sets     packable
--@include membership
local function packable(uids, dues)
  local GATHERS_BYTE = 97 -- a, see dedup_entries
  local fits = {}
  for n, uid in ipairs(uids) do
    fits[n] = not string.find(uid, '[^%w._-]') and string.sub(uid, -5) ~= '.tick' -- a line of a bucket has blanks between
  end
  local function leave_out(command, key, before, behind, stays)
    if redis.call('EXISTS', key) == 1 then
      local fields = {}
      for n, uid in ipairs(uids) do
        fields[n] = before .. uid .. behind
      end
      for n, value in ipairs(redis.call(command, key, unpack(fields))) do
        fits[n] = fits[n] and not (value and stays(value, n))
      end
    end
  end
  local function always()
    return true
  end
  leave_out('HMGET', KEYS.keys, '', '', function(attributes)
    return string.find(attributes, MEMBERSHIP)
  end)
  leave_out('HMGET', KEYS.dedup, 'u:', '', function(name)
    return string.byte(name) == GATHERS_BYTE
  end)
  leave_out('ZMSCORE', KEYS.expiries, '', '', function(ends, n)
    return tonumber(ends) <= tonumber(dues[n])
  end)
  leave_out('HMGET', KEYS.seats, '', '', always)
  leave_out('HMGET', KEYS.tries, '', '', always)
  leave_out('HMGET', KEYS.history, '', '', always)
  for _, part in ipairs({ '/progress', '/log', '/checkpoint' }) do
    leave_out('HMGET', KEYS.work, '', part, always)
  end
  return fits
end
