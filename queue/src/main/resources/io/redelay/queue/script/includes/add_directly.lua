-- add_directly(KEYS, ARGV, now, stamp, only_looks, settings): as add_specially, for a request that has nothing behind its messages: no
-- limit, no key to deduplicate by, and nothing that was sent before. It has no function for each step, as these cost where they are
-- defined, and no index unless a message waits elsewhere than in ready.
--
--@keys-of send
-- reads    ATTRIBUTED_TAGS, call_all, define, displace, due_time, far_of, index_of, messages_in, new_expiry
-- sets     add_directly
local function add_directly(KEYS, ARGV, now, stamp, only_looks, settings)
  if settings[3] then -- there is a limit on the line of an ordering key
    return define(index_of, true)(KEYS, ARGV, now, stamp, only_looks, settings)
  end
  local PAGE = 500 -- how many are placed at a time
  local PLAIN = '^%z%z%d+%z5%z' -- attributes of a message that waits in ready
  local times = '{"sentAt":' .. stamp .. ','
  local index
  local longest, any_now, reply_words = 0, false, {}
  local bodies, due_now, due_later, ending, named, keyed, tagged = {}, {}, {}, {}, {}, {}, {}
  local due_attributes, seated = {}, false -- attributes of due_now, false for none; whether any of these does not wait in ready
  local waits, beginnings = {}, {} -- by attributes: whether a message waits in ready, and how its members of tags begin, if any
  local mine, mine_due = {}, {} -- id -> uid of the message of this request, and when it is due if that is later
  local displaced, duplicates = {}, {} -- dead messages and the ids that they lose, and attributes of those that are not added

  for position, body, uid, when, id, attributes in messages_in(ARGV[4]) do
    local due, n = when == '' and now or math.max(now, due_time(when, now)), 0
    local due_text = due > now and string.format('%.0f', due) or stamp
    local other = id ~= '' and (mine[id] or redis.call('HGET', KEYS.ids, 'i:' .. id))
    local is_packed, packed_due -- see far
    if other and settings[4] and not mine[id] then
      is_packed, packed_due = far_of().line(KEYS.messages, settings[4], other)
    end
    if other and (mine[id] or is_packed or redis.call('HEXISTS', KEYS.messages, other) == 1) then
      n = #reply_words
      reply_words[n + 1], reply_words[n + 2] = string.format('%d', position), other
      reply_words[n + 3] = mine_due[id] or packed_due or redis.call('ZSCORE', KEYS.scheduled, other) or stamp
      duplicates[#duplicates + 1] = attributes
    else
      local ends = not string.find(body, '^"v":1,"[^td]') and new_expiry(times, body, due, now) -- see there
      if ends then
        n = #ending
        ending[n + 1], ending[n + 2] = ends, uid
      end
      if due > now then
        body = times .. '"dueAt":' .. due_text .. ',' .. body
        n = #due_later
        due_later[n + 1], due_later[n + 2] = due_text, uid
      else
        body = times .. body
        n = #due_now + 1
        due_now[n], due_attributes[n] = uid, attributes or false
      end
      longest = #body > longest and #body or longest
      n = #bodies
      bodies[n + 1], bodies[n + 2] = uid, body
      if id ~= '' then
        if other then
          displaced[#displaced + 1] = { other, id }
        end
        mine[id] = uid
        if due > now then
          mine_due[id] = due_text
        end
        n = #named
        named[n + 1], named[n + 2], named[n + 3], named[n + 4] = 'i:' .. id, uid, 'u:' .. uid, id
      end
      if attributes then
        n = #keyed
        keyed[n + 1], keyed[n + 2] = uid, attributes
        if waits[attributes] == nil then
          waits[attributes] = string.find(attributes, PLAIN) ~= nil
          local text = string.match(attributes, ATTRIBUTED_TAGS)
          beginnings[attributes] = text and {}
          for name in string.gmatch(text or '', '[^\n]+') do
            table.insert(beginnings[attributes], name .. '\0')
          end
        end
        seated = seated or due <= now and not waits[attributes]
        local starts = beginnings[attributes]
        for i = 1, starts and #starts or 0 do
          n = #tagged
          tagged[n + 1], tagged[n + 2] = '0', starts[i] .. uid
        end
      end
    end
  end

  for _, each in ipairs(displaced) do
    displace(KEYS.dead, KEYS.dead_ids, each[1], each[2])
  end
  for _, attributes in ipairs(duplicates) do
    index = index or index_of(KEYS, KEYS_AT.keys, KEYS.messages, KEYS.ready, KEYS.dead, KEYS.meta, now)
    index.note_end(attributes, 'duplicate', '')
  end
  for _, each in ipairs({ { 'HSET', KEYS.messages, bodies }, { 'HSET', KEYS.ids, named }, { 'HSET', KEYS.keys, keyed },
    { 'ZADD', KEYS.tags, tagged }, { 'ZADD', KEYS.scheduled, due_later }, { 'ZADD', KEYS.expiries, ending } }) do
    call_all(each[1], each[2], each[3])
  end
  if #keyed > 0 then
    redis.call('HSET', KEYS.meta, 'keyed', '1')
  end
  for from = 1, seated and #due_now or 0, PAGE do
    local to = math.min(from + PAGE - 1, #due_now)
    index = index or index_of(KEYS, KEYS_AT.keys, KEYS.messages, KEYS.ready, KEYS.dead, KEYS.meta, now)
    any_now = index.place({ unpack(due_now, from, to) }, false, { unpack(due_attributes, from, to) }) > 0 or any_now
  end
  if not seated then
    call_all('RPUSH', KEYS.ready, due_now)
    any_now = #due_now > 0
  end
  any_now = any_now or index and index.noted -- a lane that is woken relays the notes
  return nil, longest, any_now, #due_later > 0, #reply_words > 0 and ' ' .. table.concat(reply_words, ' ') or ''
end
