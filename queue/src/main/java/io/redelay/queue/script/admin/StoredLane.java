package io.redelay.queue.script.admin;

import java.time.Duration;

/**
 * A lane that consumes.
 *
 * @param name its name
 * @param lease the rest of its lease; negative if it ran out
 * @param held how many messages it holds
 * @since 0.1.0
 */
public record StoredLane(String name, Duration lease, long held) {

	/**
	 * Returns the instance that has the lane.
	 * @return the instance's name in the store
	 */
	public String instance() {
		return instanceOf(this.name);
	}

	/**
	 * Returns the instance that has a lane.
	 * @param lane the name of the lane
	 * @return the instance's name in the store
	 */
	public static String instanceOf(String lane) {
		int dot = lane.indexOf('.');
		return (dot >= 0) ? lane.substring(0, dot) : lane;
	}

}
