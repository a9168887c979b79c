-- Gives what is known of a recurring message, and which of its messages live; changes nothing.
--
-- I8  what is known names 200 messages at most.
--
-- KEYS[1] recurring    KEYS[2] messages    KEYS[3] ids
-- ARGV[1] name of the recurring message
-- reply   a list: OK, now, what is known or '', then the uids of those of its messages that live; the uid of one
--         that was moved from the ready list or came back from the dead is its id now
--@include clock
local known = redis.call('HGET', KEYS[1], ARGV[1])
local reply = { 'OK', stamp, known or '' }
for uid in string.gmatch(string.match(known or '', '^[^\n]*'), '%S+') do
  local moved = redis.call('HGET', KEYS[3], 'i:' .. uid)
  if redis.call('HEXISTS', KEYS[2], moved or uid) == 1 then
    reply[#reply + 1] = uid
  end
end
return reply
