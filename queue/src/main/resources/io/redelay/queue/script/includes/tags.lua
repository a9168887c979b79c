-- The tags of messages. `tags` has of each tag of a message that lives or is dead a member of score 0: the tag, a byte 0, the uid. Of
-- the completed ones `completed:tags` has that; see kept_completed.
--
-- reads    nothing
-- changes  index
-- sets     nothing

-- Calls Redis with the members of the tags of messages. entries: their uids, each followed by its attributes.
index.change_tags = function(entries, command, score)
  local members = {}
  for i = 1, #entries, 2 do
    local text = string.match(entries[i + 1], index.ATTRIBUTED_TAGS)
    for name in string.gmatch(text or '', '[^\n]+') do
      members[#members + 1] = score
      members[#members + 1] = name .. '\0' .. entries[i]
    end
    if not score and text then
      index.tags_taken[entries[i]] = text
    end
    if #members > 1000 or i + 2 > #entries and #members > 0 then
      redis.call(command, index.tags, unpack(members))
      members = {}
    end
  end
end

-- tag(entries): adds the tags of messages that have these attributes from now on.
index.tag = function(entries)
  index.change_tags(entries, 'ZADD', '0')
end

-- untag(entries): removes the tags of messages with these attributes, which are gone.
index.untag = function(entries)
  index.change_tags(entries, 'ZREM')
end

-- tags_before(uid): the tags that this script took from a message, with line feeds between; nil if it had none.
index.tags_before = function(uid)
  return index.tags_taken[uid]
end
