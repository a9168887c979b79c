-- Gives the record of a recurring message, and which of its messages live; changes nothing.
--
-- I8  the record names 200 messages at most.
--
-- KEYS[1] recurring    KEYS[2] messages    KEYS[3] ids
-- ARGV[1] name of the recurring message
-- reply   a list: OK, now, its record or '', the state of its runs as includes/run_states.lua has it or '', then the uids of those
--         of its messages that live
--@paste clock
local messages, ids = KEYS[2], KEYS[3]
--@paste living_ticks
local entry = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[1] .. '/state')
local known = entry[1] or ''
return { 'OK', stamp, known, entry[2] or '', unpack(living_ticks(known)) }
