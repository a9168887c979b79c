-- How a run of a recurring message saves the state that the next one reads: `recurring` has it as <name>/state, which is a token and
-- behind a blank the state. Each save has another token, and names the one that its run has read. NONE is the token where nothing
-- was saved, REMOVED where the recurring message was removed.
-- saves_state(text): whether an acknowledgement that saves a state counts: not if another run has saved one since its run has read
-- it, or saves one in this request, or if Redis has lost the one that it has read. text: the place of `recurring` in KEYS, the name,
-- the token that was read, that of the save, with blanks between and a blank behind, and the state.
-- save_state(text): saves it, if the recurring message is still there.
--
-- reads    KEYS[..]
-- sets     STATE_BYTE, save_state, saves_state
local STATE_BYTE, STATE_FIELD = 115, '/state' -- s, what a section with a state begins with
local NONE, REMOVED = '-', '!'
local states_of = {} -- name -> whether this request saves its state

-- state_before(text): the key, the name, the token that was read, that of the save, the state, and the token that is there; nil for
-- that if there is no such recurring message.
local function state_before(text)
  local at, name, read, written, state = string.match(text, '^(%d+) (%S+) (%S+) (%S+) (.*)$')
  local recurring = KEYS[tonumber(at)]
  if redis.call('HEXISTS', recurring, name) == 0 then
    return recurring, name, read, written, state, nil
  end
  local present = redis.call('HGET', recurring, name .. STATE_FIELD) or NONE
  return recurring, name, read, written, state, string.match(present, '^%S+')
end

local function saves_state(text)
  local length, from = string.match(text, '^%a(%d+):()')
  local _, name, read, written, _, present = state_before(string.sub(text, from, from + length - 1))
  if present == read and not states_of[name] then
    states_of[name] = true
    return true
  end
  return not present or present == written or present == REMOVED and read ~= REMOVED
end

local function save_state(text)
  local recurring, name, read, written, state, present = state_before(text)
  if present == read then
    redis.call('HSET', recurring, name .. STATE_FIELD, written .. ' ' .. state)
  end
end
