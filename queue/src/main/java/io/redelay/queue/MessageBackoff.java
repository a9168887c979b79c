package io.redelay.queue;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * How long a message waits before it is delivered again after a failure, given by its
 * sender: see {@link OutboundMessage#backoff}.
 *
 * @param initialInterval the wait after the first failure
 * @param multiplier how much longer each further wait is, 1 to 1000; 1 makes all waits
 * equal
 * @param maxInterval the longest wait, before jitter; at most 3650 days
 * @param jitter by which part a wait is varied at random, from 0 to 1
 * @since 0.1.0
 */
public record MessageBackoff(Duration initialInterval, double multiplier, Duration maxInterval, double jitter) {

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Validates the values.
	 */
	public MessageBackoff {
		Assert.notNull(initialInterval, "'initialInterval' must not be null");
		Assert.notNull(maxInterval, "'maxInterval' must not be null");
		Assert.isTrue(!initialInterval.isNegative(),
				() -> "'initialInterval' must not be negative: " + initialInterval);
		Assert.isTrue(multiplier >= 1 && multiplier <= 1000, () -> "'multiplier' must be 1 to 1000: " + multiplier);
		Assert.isTrue(maxInterval.compareTo(initialInterval) >= 0, () -> "'maxInterval' must not be shorter than "
				+ "'initialInterval': " + maxInterval + " < " + initialInterval);
		Assert.isTrue(maxInterval.compareTo(LONGEST) <= 0,
				() -> "'maxInterval' must be at most 3650 days: " + maxInterval);
		Assert.isTrue(jitter >= 0 && jitter <= 1, () -> "'jitter' must be 0 to 1: " + jitter);
	}

	/**
	 * Waits equally long after each failure, without jitter.
	 * @param interval the wait; 0 to 3650 days
	 * @return the backoff
	 */
	public static MessageBackoff fixed(Duration interval) {
		Assert.notNull(interval, "'interval' must not be null");
		return new MessageBackoff(interval, 1, interval, 0);
	}

	/**
	 * Waits longer after each further failure, 20 % shorter or longer at random.
	 * @param initialInterval the wait after the first failure
	 * @param multiplier how much longer each further wait is, 1 to 1000
	 * @param maxInterval the longest wait, at most 3650 days
	 * @return the backoff
	 */
	public static MessageBackoff exponential(Duration initialInterval, double multiplier, Duration maxInterval) {
		return new MessageBackoff(initialInterval, multiplier, maxInterval, 0.2);
	}

}
