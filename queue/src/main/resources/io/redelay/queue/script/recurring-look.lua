-- Gives the record of a recurring message, and which of its messages live; changes nothing.
--
-- I8  the record names 200 messages at most.
--
--@keys recurring messages ids
-- ARGV[1] name of the recurring message
-- reply   a list: OK, now, its record or '', the state of its runs as includes/run_states.lua has it or '', then the uids of those
--         of its messages that live
--@include stamp
--@include living_ticks
local entry = redis.call('HMGET', KEYS.recurring, ARGV[1], ARGV[1] .. '/state')
local known = entry[1] or ''
return { 'OK', stamp, known, entry[2] or '', unpack(living_ticks(known)) }
