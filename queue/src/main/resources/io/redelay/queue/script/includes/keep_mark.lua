-- marks_of(key): the marks of a history, the newest first, each a list of words: when it was, what, its id, the instance, its application
-- and version, what else there is to know. keep_mark(key, marks, words): adds one to them, unless something else has the key. Those that
-- are too old go, and of MOST_MARKS and more the oldest deploy if there are many, or else the oldest that says that an instance came or
-- went, or else the oldest of all. The mark that has the last version of an application stays, so that the next deploy is found.
--
-- reads    now
-- sets     marks_of, keep_mark
local function marks_of(key)
  local texts = redis.pcall('LRANGE', key, 0, -1)
  local marks = { is_foreign = texts.err ~= nil }
  for i, text in ipairs(texts) do
    local words = { text = text }
    for word in string.gmatch(text .. '\0', '(%Z*)%z') do
      words[#words + 1] = word
    end
    marks[i] = words
  end
  return marks
end

local function keep_mark(key, marks, words)
  local MOST_MARKS, MOST_DEPLOYS, MARK_MS = 200, 100, 2764800000 -- 32 days
  if marks.is_foreign then
    return
  end
  local last, oldest, deploys, gone = {}, {}, 0, {}
  for i, mark in ipairs(marks) do
    local kind, application = mark[2] or '', mark[5] or ''
    local is_last = (mark[6] or '') ~= '' and kind ~= 'INSTANCE_STOPPED' and not last[application]
    last[application] = last[application] or is_last
    deploys = deploys + (kind == 'DEPLOYED' and 1 or 0)
    if not is_last then
      oldest[string.match(kind, '^[^_]*')] = i
      gone[#gone + 1] = (tonumber(mark[1]) or 0) < now - MARK_MS and i or nil
    end
  end
  if #marks >= MOST_MARKS and #gone == 0 then
    gone[1] = deploys > MOST_DEPLOYS and oldest.DEPLOYED or oldest.INSTANCE or oldest.DEPLOYED or #marks
  end
  for n = #gone, 1, -1 do
    redis.call('LREM', key, -1, table.remove(marks, gone[n]).text)
  end
  words.text = table.concat(words, '\0')
  table.insert(marks, 1, words)
  redis.call('LPUSH', key, words.text)
  redis.call('PEXPIRE', key, string.format('%.0f', MARK_MS))
end
