-- index_of(KEYS, index_at, messages, ready, dead, meta, now): a table of functions for messages that have keys or priorities, of one
-- queue, and of what these know. Their keys of Redis stand together, from index_at on. A script without such messages has no index,
-- for its definitions cost. Each local that a function reads from around it costs as well, so the functions read the table.
--
-- reads    KEYS[1..], call_all, plus, put_in_outbox
-- sets     index_of
local function index_of(KEYS, index_at, messages, ready, dead, meta, now)
  --@include attributes
  --@include membership
  local index = {
    messages = messages, ready = ready, dead = dead, meta = meta, now = now,
    keys = KEYS[index_at], tags = KEYS[index_at + 1], outbox = KEYS[index_at + 2], order = KEYS[index_at + 3],
    waiting = KEYS[index_at + 4], seats = KEYS[index_at + 5], turns = KEYS[index_at + 6], weights = KEYS[index_at + 7],
    blocked = KEYS[index_at + 8], busy = KEYS[index_at + 9], dedup = KEYS[index_at + 13], dedup_expiries = KEYS[index_at + 14],
    work = KEYS[index_at + 17],
    ATTRIBUTES = '^(%Z*)%z(%Z*)%z(%d+)%z([%da])%z(%d*)%z(1?)%z?%Z*%z?%Z*$', -- all but the seventh and the eighth
    ORDERING_KEY = ORDERING_KEY, FAIRNESS_KEY = FAIRNESS_KEY, ATTRIBUTED_TAGS = ATTRIBUTED_TAGS, MEMBERSHIP = MEMBERSHIP,
    PLAIN = '5', -- the group of plain messages, which wait in ready
    ROUNDS = 1e12, -- how many rounds there may be before a queue is drained once
    GATHERS_BYTE = 97, -- a
    promoted = 0, -- how many messages have got the turn of their ordering key
    noted = false, -- whether anything was noted in the outbox
    tags_taken = {}, -- uid -> its tags, of messages from which this script took them
    known_traits = {}, -- attributes -> traits, of those that this script has read
  }
  --@include tags
  --@include turns
  --@include place

  -- What a send seldom needs is defined when it is first asked for.
  local function define_rest()
    --@include ended
    --@include released
    --@include forget_index
    --@include work_entries
    --@include dedup_entries

    -- Lets groups whose time of waiting is over take turns again, so many at most, and plain messages if there are any.
    index.rejoin = function(most)
      local free = redis.call('ZRANGEBYSCORE', index.blocked, '-inf', index.now, 'LIMIT', 0, most)
      if #free > 0 then
        redis.call('ZREM', index.blocked, unpack(free))
        index.join(free)
      end
      if redis.call('EXISTS', index.ready) == 1 then
        index.join({ index.PLAIN })
      end
    end
  end
  return setmetatable(index, { __index = function(_, name)
    setmetatable(index, nil)
    define_rest()
    return index[name]
  end })
end
