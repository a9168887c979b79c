package io.redelay.queue.store;

import java.time.Duration;

/**
 * A lane that consumes.
 *
 * @param name its name
 * @param lease how long its lease lasts yet; negative if it ran out
 * @param held how many messages it holds
 * @since 0.1.0
 */
public record StoredLane(String name, Duration lease, long held) {

	/**
	 * Which instance has the lane.
	 * @return the instance's name in the store
	 */
	public String instance() {
		int dot = this.name.indexOf('.');
		return (dot >= 0) ? this.name.substring(0, dot) : this.name;
	}

}
