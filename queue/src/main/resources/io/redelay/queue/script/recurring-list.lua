-- Gives the records of all recurring messages of a queue, and which of their messages live; changes nothing.
--
-- I8  each record names 200 messages at most.
--
--@keys recurring messages ids
-- ARGV    none
-- reply   a list: OK, now, then four a recurring message: its name, its record, the state of its runs as
--         includes/run_states.lua has it or '', the uids of those of its messages that live as words
--@include stamp
--@include living_ticks
local reply = { 'OK', stamp }
local all = redis.call('HGETALL', KEYS.recurring)
local states = {} -- by name
for i = 1, #all, 2 do
  local name = string.match(all[i], '^(.*)/state$')
  if name then
    states[name] = all[i + 1]
  end
end
for i = 1, #all, 2 do
  if not string.find(all[i], '/', 1, true) then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = all[i + 1]
    reply[#reply + 1] = states[all[i]] or ''
    reply[#reply + 1] = table.concat(living_ticks(all[i + 1]), ' ')
  end
end
return reply
