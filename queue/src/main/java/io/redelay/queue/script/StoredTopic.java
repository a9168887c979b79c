package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.message.TopicRetention;

/**
 * The state of a topic in the store.
 *
 * @param time the store's clock
 * @param version changes whenever a group comes, goes or has another filter; empty if the
 * topic is not used
 * @param groups the groups by name
 * @param retention how much is kept of the published messages
 * @since 0.1.0
 */
public record StoredTopic(Instant time, String version, List<StoredGroup> groups, TopicRetention retention) {

	/**
	 * Nothing is known yet.
	 */
	public static final StoredTopic UNKNOWN = new StoredTopic(Instant.EPOCH, "", List.of(), TopicRetention.NONE);

	/**
	 * The least length of a version that was made from the clock.
	 */
	private static final int VERSION_LENGTH = 16;

	/**
	 * Returns the filter of a group.
	 * @param group the group
	 * @return the filter that it was last known to have; none if the group is not known
	 */
	public GroupFilter filter(String group) {
		for (StoredGroup each : this.groups) {
			if (each.name().equals(group)) {
				return each.filter().filter();
			}
		}
		return GroupFilter.NONE;
	}

	/**
	 * Returns whether the store had this before another state. A topic that is used anew
	 * after it was forgotten is not older.
	 * @param other another state of the topic in the store
	 * @return whether the groups are of an earlier version
	 */
	public boolean isOlderThan(StoredTopic other) {
		return this.version.length() >= VERSION_LENGTH && other.version.length() >= VERSION_LENGTH
				&& Long.parseLong(this.version) < Long.parseLong(other.version);
	}

}
