-- forget_dead(uid): removes a dead message and what is known of it.
local function forget_dead(uid)
  redis.call('ZREM', dead, uid)
  redis.call('HDEL', dead_messages, uid, uid .. '/cause', uid .. '/history', uid .. '/to')
end
