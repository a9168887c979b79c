-- Looks for messages by their ids or uids; changes nothing.
--
-- KEYS[1] messages  KEYS[2] ready    KEYS[3] suspects       KEYS[4] scheduled  KEYS[5] held       KEYS[6] tries
-- KEYS[7] dead      KEYS[8] dead:messages                   KEYS[9] ids        KEYS[10] cancelled KEYS[11] history
-- ARGV    ids or uids, at most 500
-- reply   {'OK', now, then eleven a message that is there: see describe}
--@include clock
local messages, scheduled, held, tries = KEYS[1], KEYS[4], KEYS[5], KEYS[6]
local dead, dead_messages, ids, cancelled, history = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
--@include state
--@include describe
local reply = { 'OK', stamp }
for _, name in ipairs(ARGV) do
  describe(reply, uid_of(name))
end
return reply
