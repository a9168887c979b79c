package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * Has a loop woken up by the name of its present lane.
 * <p>
 * Safe for use by many threads.
 */
final class LaneSubscription {

	private final WakeUps wakeUps;

	private final Runnable wakeUp;

	private @Nullable String lane;

	LaneSubscription(WakeUps wakeUps, Runnable wakeUp) {
		this.wakeUps = wakeUps;
		this.wakeUp = wakeUp;
	}

	/**
	 * The loop claims on this lane, and on no other one.
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
			this.wakeUps.add(name, this.wakeUp);
		}
		this.lane = name;
	}

}
