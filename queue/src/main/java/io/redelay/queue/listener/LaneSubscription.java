package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * Subscribes a loop to the notices about its present lane.
 * <p>
 * Safe for use by many threads.
 */
final class LaneSubscription {

	private final WakeUps wakeUps;

	private final LaneListener loop;

	private @Nullable String lane;

	LaneSubscription(WakeUps wakeUps, LaneListener loop) {
		this.wakeUps = wakeUps;
		this.loop = loop;
	}

	/**
	 * Changes the lane whose notices the loop gets.
	 * @param name the name of the lane, or {@code null} for none
	 */
	synchronized void change(@Nullable String name) {
		String former = this.lane;
		if (name != null && name.equals(former)) {
			return;
		}
		if (former != null) {
			this.wakeUps.remove(former);
		}
		if (name != null) {
			this.wakeUps.add(name, this.loop);
		}
		this.lane = name;
	}

}
