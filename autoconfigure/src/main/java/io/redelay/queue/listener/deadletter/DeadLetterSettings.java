package io.redelay.queue.listener.deadletter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What becomes of the dead messages of a queue.
 *
 * @param maxCount how many are kept
 * @param maxAge how long they are kept
 * @param target the queue that they are handed on to, if they are
 * @param source the queue whose dead messages are handed on to this one, if it is there
 * for them
 * @since 0.1.0
 */
public record DeadLetterSettings(long maxCount, Duration maxAge, @Nullable String target, @Nullable String source) {

	/**
	 * Checks the settings.
	 */
	public DeadLetterSettings {
		Assert.isTrue(maxCount >= 1, () -> "'dead-letters.max-count' must be at least 1: " + maxCount);
		Assert.isTrue(maxAge.toMillis() >= 1, () -> "'dead-letters.max-age' must be at least 1 ms: " + maxAge);
	}

	/**
	 * Returns what becomes of the dead messages of a partition.
	 * @param partitions how many partitions the queue has, which keep the number together
	 * @return the settings
	 */
	public DeadLetterSettings share(int partitions) {
		return (partitions == 1) ? this : new DeadLetterSettings((this.maxCount + partitions - 1) / partitions,
				this.maxAge, this.target, this.source);
	}

}
