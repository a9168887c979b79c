-- Gives what is known of a recurring message, and which of its messages live; changes nothing.
--
-- I8  what is known names 200 messages at most.
--
-- KEYS[1] recurring    KEYS[2] messages    KEYS[3] ids
-- ARGV[1] name of the recurring message
-- reply   a list: OK, now, what is known or '', then the uids of those of its messages that live
--@include clock
local messages, ids = KEYS[2], KEYS[3]
--@include living_ticks
local known = redis.call('HGET', KEYS[1], ARGV[1]) or ''
return { 'OK', stamp, known, unpack(living_ticks(known)) }
