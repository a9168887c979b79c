-- packable(uids): of each of several scheduled messages that have a body, whether it may be packed; see far. Those stay near of which
-- more than the envelope is looked at before they are due: messages with an ordering key or a key to deduplicate by, members of
-- bundles, ticks of recurring messages, and messages that have failed or were handled in part.
--
--@keys-of far-look
-- reads    nothing
-- sets     packable
--@include attributes
--@include membership
local function packable(uids)
  local fits = {}
  for n, uid in ipairs(uids) do
    fits[n] = string.sub(uid, -5) ~= '.tick'
  end
  local function leave_out(key, before, behind, stays)
    if redis.call('EXISTS', key) == 1 then
      local fields = {}
      for n, uid in ipairs(uids) do
        fields[n] = before .. uid .. behind
      end
      for n, value in ipairs(redis.call('HMGET', key, unpack(fields))) do
        fits[n] = fits[n] and not (value and stays(value))
      end
    end
  end
  local function always()
    return true
  end
  leave_out(KEYS.keys, '', '', function(attributes)
    return string.match(attributes, ORDERING_KEY) ~= '' or string.find(attributes, MEMBERSHIP)
  end)
  leave_out(KEYS.tries, '', '', always)
  leave_out(KEYS.history, '', '', always)
  leave_out(KEYS.dedup, 'u:', '', always)
  leave_out(KEYS.dedup, 'm:', '', always)
  for _, part in ipairs({ '/progress', '/log', '/checkpoint' }) do
    leave_out(KEYS.work, '', part, always)
  end
  return fits
end
