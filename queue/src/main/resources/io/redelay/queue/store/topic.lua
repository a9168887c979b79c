-- Lists the groups of a topic; changes nothing.
--
-- KEYS[1] known, the version of the topic's groups    KEYS[2] groups
-- ARGV    none
-- reply   {now, version or '' if there is none, and of each group its name and its entry in groups; @retention has the bounds of the
--         log}
--@paste clock
local known, groups = KEYS[1], KEYS[2]
--@paste topic_told
return told
