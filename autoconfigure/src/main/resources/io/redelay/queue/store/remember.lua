-- Remembers reply for when the request comes again; see once. Works on ARGV[1], the number of the request, on sent, the lane's
-- memory, and on memory_ms, for how long: '' leaves that as it was, which costs Redis less.
if memory_ms == '' then
  redis.call('SET', sent, ARGV[1] .. ' ' .. reply, 'KEEPTTL')
else
  redis.call('SET', sent, ARGV[1] .. ' ' .. reply, 'PX', memory_ms)
end
