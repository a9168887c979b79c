-- index_of(KEYS, index_at, messages, ready, dead, meta): functions for messages that have keys or priorities, of one queue. Their keys
-- of Redis stand together, from index_at on. A script without such messages has no index, for its definitions cost.
--
-- reads    KEYS[1..], now
-- sets     index_of
--@include attributes
--@include plus
local function index_of(KEYS, index_at, messages, ready, dead, meta)
  local keys, order, waiting, seats = KEYS[index_at], KEYS[index_at + 1], KEYS[index_at + 2], KEYS[index_at + 3]
  local turns, weights, blocked, busy = KEYS[index_at + 4], KEYS[index_at + 5], KEYS[index_at + 6], KEYS[index_at + 7]
  local outbox, work, tags = KEYS[index_at + 13], KEYS[index_at + 16], KEYS[index_at + 17]
  local dedup, dedup_expiries = KEYS[index_at + 11], KEYS[index_at + 12]
  --@paste put_in_outbox
  --@include tags
  --@include turns
  --@include place
  --@include ended
  --@include released
  --@include forget_index
  --@include work_entries
  --@include dedup_entries

  -- Lets groups whose time of waiting is over take turns again, so many at most, and plain messages if there are any.
  local function rejoin(most)
    local free = redis.call('ZRANGEBYSCORE', blocked, '-inf', now, 'LIMIT', 0, most)
    if #free > 0 then
      redis.call('ZREM', blocked, unpack(free))
      join(free)
    end
    if redis.call('EXISTS', ready) == 1 then
      join({ PLAIN })
    end
  end

  return {
    keys = keys, order = order, waiting = waiting, seats = seats, turns = turns, weights = weights, blocked = blocked, busy = busy,
    tags = tags, tag = tag, untag = untag, tags_before = tags_before,
    PLAIN = PLAIN, ROUNDS = ROUNDS, MEMBERSHIP = MEMBERSHIP,
    attributes_of = attributes_of, fairness_key = fairness_key, traits = traits, line_up = line_up, place = place, promoted = promoted,
    remove_seats = remove_seats, pass_on = pass_on, note_end = note_end, ended = ended, buried = buried,
    released = released, unblock = unblock, count_claimed = count_claimed, count_held = count_held,
    rejoin = rejoin, forget = forget_index, has_noted = has_noted,
    keeps_work = keeps_work, forget_work = forget_work, work_of = work_of, keep_work = keep_work,
    GATHERS_BYTE = GATHERS_BYTE, owner_of = owner_of, expire_dedup = expire_dedup, give_up_keys = give_up_keys, move_key = move_key,
  }
end
