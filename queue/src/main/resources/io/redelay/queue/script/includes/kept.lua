-- kept_of(hash, parts, records): counts what a hash has of messages that are kept after their end, dead or completed ones. Its field
-- @bytes has their bytes, and @work of how many handlers recorded something; each is there while it is not 0. parts: what is behind the
-- uid in the other fields of a message; records: likewise of what handlers recorded.
-- Gives BYTES, the name of that field; size(uid): how many bytes are kept of a message; count(bytes): adds to the count;
-- forget_work(uid), keep_work(uid, recorded): remove and add what handlers recorded, recorded: the result of work_of.
--
-- reads    nothing
-- sets     kept_of
local function kept_of(hash, parts, records)
  --@include plus
  local BYTES, WORK = '@bytes', '@work'
  local any_work -- whether handlers recorded something of any message; looked up once
  local function has_work()
    if any_work == nil then
      any_work = redis.call('HEXISTS', hash, WORK) == 1
    end
    return any_work
  end

  local function size(uid)
    local bytes = redis.call('HSTRLEN', hash, uid)
    for _, part in ipairs(parts) do
      bytes = bytes + redis.call('HSTRLEN', hash, uid .. part)
    end
    for _, record in ipairs(has_work() and records or {}) do
      bytes = bytes + redis.call('HSTRLEN', hash, uid .. record)
    end
    return bytes
  end

  local function count(bytes)
    if bytes ~= 0 and plus(hash, BYTES, bytes) <= 0 then
      redis.call('HDEL', hash, BYTES)
    end
  end

  local function forget_work(uid)
    local fields = {}
    for n, record in ipairs(has_work() and records or {}) do
      fields[n] = uid .. record
    end
    if #fields > 0 and redis.call('HDEL', hash, unpack(fields)) > 0 and plus(hash, WORK, -1) <= 0 then
      redis.call('HDEL', hash, WORK)
    end
  end

  local function keep_work(uid, recorded)
    local some = false
    for _, record in ipairs(records) do
      if recorded[record] then
        redis.call('HSET', hash, uid .. record, recorded[record])
        some = true
      end
    end
    if some then
      plus(hash, WORK, 1)
      any_work = true
    end
  end

  return { BYTES = BYTES, size = size, count = count, forget_work = forget_work, keep_work = keep_work }
end
