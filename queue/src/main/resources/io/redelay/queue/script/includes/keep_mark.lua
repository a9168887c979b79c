-- marks_of(key): the marks of a history, the newest first, each a list of words: when it was, what, its id, the instance, its application
-- and version, what else there is to know. keep_mark(key, marks, words): adds one to them, unless something else has the key. Those that
-- are too old go, and of MOST_MARKS and more the oldest deploy if there are many, or else the oldest that says that an instance came or
-- went, or else the oldest of all. The last version of an application stays.
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
  local function drop(i)
    redis.call('LREM', key, -1, table.remove(marks, i).text)
  end
  while #marks > 0 and (tonumber(marks[#marks][1]) or 0) < now - MARK_MS do
    drop(#marks)
  end
  if #marks >= MOST_MARKS then
    local newest, deploys, oldest = {}, 0, {}
    for i, mark in ipairs(marks) do
      local application, is_version = mark[5] or '', (mark[6] or '') ~= '' and mark[2] ~= 'INSTANCE_STOPPED'
      deploys = deploys + (mark[2] == 'DEPLOYED' and 1 or 0)
      if newest[application] or not is_version then
        oldest[string.match(mark[2] or '', '^[^_]*')] = i
      end
      newest[application] = newest[application] or is_version
    end
    drop(deploys > MOST_DEPLOYS and oldest.DEPLOYED or oldest.INSTANCE or #marks)
  end
  words.text = table.concat(words, '\0')
  table.insert(marks, 1, words)
  redis.call('LPUSH', key, words.text)
  redis.call('PEXPIRE', key, string.format('%.0f', MARK_MS))
end
