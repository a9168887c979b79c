package io.redelay.queue.limits;

import java.time.Duration;
import java.time.Instant;

/**
 * How far ahead a message may be due. What is further is a mistake, most likely in the
 * unit: a message that waits for thousands of years is lost, and nobody is told.
 *
 * @since 0.1.0
 */
public final class DueTime {

	/**
	 * The longest delay.
	 */
	public static final Duration LONGEST_DELAY = Duration.ofDays(3650);

	private static final Instant END = Instant.EPOCH.plus(LONGEST_DELAY.multipliedBy(50));

	private DueTime() {
	}

	/**
	 * Whether a message may wait so long.
	 * @param delay how long
	 * @return whether it is 0 to 3650 days
	 */
	public static boolean isPossible(Duration delay) {
		return !delay.isNegative() && delay.compareTo(LONGEST_DELAY) <= 0;
	}

	/**
	 * Whether a message may wait until then.
	 * @param due when
	 * @return whether it is before 2469
	 */
	public static boolean isPossible(Instant due) {
		return due.isBefore(END);
	}

}
