-- once(sent, seq): what to answer without doing anything, if so: to a lane that is unknown, to a request that is late, and
-- to one seen before, which is given what it was given.
local function once(sent, seq)
  local memory = redis.call('GET', sent)
  if not memory then
    return { 'GONE' }
  end
  local last = tonumber(string.match(memory, '^%d+'))
  if seq < last then
    return { 'STALE' }
  end
  if seq == last then
    local words = {}
    for word in string.gmatch(string.match(memory, '^%d+(.*)$'), '%S+') do
      words[#words + 1] = word
    end
    return words
  end
end

-- remember(sent, seq, reply, ms): the reply, of words without blanks, for when the request comes again.
local function remember(sent, seq, reply, ms)
  redis.call('SET', sent, seq .. ' ' .. table.concat(reply, ' '), 'PX', ms)
end
