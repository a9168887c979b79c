package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.GroupFilter;

/**
 * What the store has of a topic.
 *
 * @param time the store's clock
 * @param version changes whenever a group comes, goes or has another filter; empty if
 * nobody uses the topic
 * @param groups the groups by name
 * @param retention what is kept of what is published
 * @since 0.1.0
 */
public record StoredTopic(Instant time, String version, List<StoredGroup> groups, TopicRetention retention) {

	/**
	 * Nothing is known yet.
	 */
	public static final StoredTopic UNKNOWN = new StoredTopic(Instant.EPOCH, "", List.of(), TopicRetention.NONE);

	/**
	 * How long a version is at least that was given by the clock.
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
	 * Whether this is what the store had before it had something else. A topic that is
	 * used anew after it was forgotten is not older.
	 * @param other what the store had
	 * @return whether the groups are of an earlier version
	 */
	public boolean isOlderThan(StoredTopic other) {
		return this.version.length() >= VERSION_LENGTH && other.version.length() >= VERSION_LENGTH
				&& Long.parseLong(this.version) < Long.parseLong(other.version);
	}

}
