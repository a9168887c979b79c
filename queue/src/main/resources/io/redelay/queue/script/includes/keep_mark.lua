-- marks_of(key): the marks of a history, the newest first, each a list of words: when it was, what, its id, the instance, its application
-- and version, what else there is to know. keep_mark(key, words): adds one. Of MOST_MARKS and more the oldest goes that says that an
-- instance came or went, so that deploys stay for longer, or else the oldest of all.
--
-- reads    nothing
-- sets     marks_of, keep_mark
local function marks_of(key)
  local marks = redis.call('LRANGE', key, 0, -1)
  for i, text in ipairs(marks) do
    local words = { text = text }
    for word in string.gmatch(text .. '\0', '(%Z*)%z') do
      words[#words + 1] = word
    end
    marks[i] = words
  end
  return marks
end

local function keep_mark(key, words)
  local MOST_MARKS, MARK_MS = 200, '2764800000' -- 32 days
  local marks = marks_of(key)
  if #marks >= MOST_MARKS then
    local gone = marks[#marks].text
    for i = #marks, 1, -1 do
      if string.match(marks[i][2] or '', '^INSTANCE_') then
        gone = marks[i].text
        break
      end
    end
    redis.call('LREM', key, -1, gone)
  end
  redis.call('LPUSH', key, table.concat(words, '\0'))
  redis.call('PEXPIRE', key, MARK_MS)
end
