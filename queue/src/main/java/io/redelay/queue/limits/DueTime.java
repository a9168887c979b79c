package io.redelay.queue.limits;

import java.time.Duration;
import java.time.Instant;

/**
 * The limit of how far ahead a message may be due. A later time is a mistake, most likely
 * in the unit: the message would wait for thousands of years without an error.
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
	 * Returns whether a message may be delayed for so long.
	 * @param delay the delay
	 * @return whether it is 0 to 3650 days
	 */
	public static boolean isPossible(Duration delay) {
		return !delay.isNegative() && delay.compareTo(LONGEST_DELAY) <= 0;
	}

	/**
	 * Returns whether a message may be due at a time.
	 * @param due the time
	 * @return whether it is before 2469
	 */
	public static boolean isPossible(Instant due) {
		return due.isBefore(END);
	}

}
