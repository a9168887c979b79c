package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;

/**
 * The names of the keys of a topic, which share its hash tag with the keys of its groups,
 * and their content.
 *
 * @param topic the topic
 * @param queue the names that a queue would have in its place
 * @param groups its groups
 * @param log the log of the published messages, if that is kept
 */
record TopicKeys(String topic, QueueKeys queue, String groups, String log) {

	/**
	 * The field among the groups that has the retention; no group has such a name.
	 */
	private static final String RETENTION = "@retention";

	static TopicKeys of(String prefix, String topic) {
		String base = prefix + ":{" + topic + "}@:";
		return new TopicKeys(topic, QueueKeys.of(prefix, GroupName.ofTopic(topic)), base + "groups", base + "log");
	}

	String known() {
		return this.queue.known();
	}

	String sent(String lane) {
		return this.queue.sent(lane);
	}

	/**
	 * Reads the reply of a script about a topic: the clock, the version, and the groups.
	 */
	List<Object> of(Script script) {
		return this.queue.of(script);
	}

	static TopicScript.StoredTopic stored(ReplyReader reply) {
		Instant time = reply.time();
		String version = reply.hasNext() ? reply.text() : "";
		List<TopicScript.StoredGroup> groups = new ArrayList<>();
		TopicRetention retention = TopicRetention.NONE;
		while (reply.hasNext()) {
			String name = reply.text();
			String[] values = reply.text().split(",", -1);
			if (name.equals(RETENTION)) {
				retention = new TopicRetention(Duration.ofMillis(Long.parseLong(values[0])), Long.parseLong(values[1]),
						Long.parseLong(values[2]));
			}
			else {
				groups.add(new TopicScript.StoredGroup(name, time(values[0]),
						Duration.ofMillis(Long.parseLong(values[1])), time(values[2]),
						(values.length > 4) ? filter(values[3], values[4]) : DeclaredFilter.NONE));
			}
		}
		groups.sort(Comparator.comparing(TopicScript.StoredGroup::name));
		return new TopicScript.StoredTopic(time, version, List.copyOf(groups), retention);
	}

	static DeclaredFilter filter(String since, String text) {
		return new DeclaredFilter(GroupFilterText.parse(text), time(since));
	}

	private static Instant time(String millis) {
		return Instant.ofEpochMilli(Long.parseLong(millis));
	}

	static String text(TopicRetention retention) {
		return ScriptTime.millis(retention.maxAge()) + "," + retention.maxCount() + "," + retention.maxBytes();
	}

}
