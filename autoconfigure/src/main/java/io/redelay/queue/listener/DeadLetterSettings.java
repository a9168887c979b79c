package io.redelay.queue.listener;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * What becomes of the dead messages of a queue.
 *
 * @param maxCount how many are kept
 * @param maxAge how long they are kept
 * @since 0.1.0
 */
public record DeadLetterSettings(long maxCount, Duration maxAge) {

	/**
	 * 10,000 for 30 days.
	 */
	public static final DeadLetterSettings DEFAULTS = new DeadLetterSettings(10_000, Duration.ofDays(30));

	/**
	 * Checks the settings.
	 */
	public DeadLetterSettings {
		Assert.isTrue(maxCount >= 1, () -> "'dead-letters.max-count' must be at least 1: " + maxCount);
		Assert.isTrue(maxAge.toMillis() >= 1, () -> "'dead-letters.max-age' must be at least 1 ms: " + maxAge);
	}

}
