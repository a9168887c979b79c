-- Lists the groups of a topic; changes nothing.
--
--@keys known groups
-- KEYS.known    the version of the topic's groups
-- ARGV    none
-- reply   {now, version or '' if there is none, and of each group its name and its entry in groups; @retention has the bounds of the
--         log}
--@include stamp
--@include topic_reply
return topic_reply(stamp)
