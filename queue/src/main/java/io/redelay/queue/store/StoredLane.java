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
		return instanceOf(this.name);
	}

	/**
	 * Which instance has a lane.
	 * @param lane the name of the lane
	 * @return the instance's name in the store
	 */
	public static String instanceOf(String lane) {
		int dot = lane.indexOf('.');
		return (dot >= 0) ? lane.substring(0, dot) : lane;
	}

}
