package io.redelay.queue.listener.deadletter;

import java.time.Duration;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What becomes of the dead messages of a queue.
 *
 * @param maxCount how many are kept
 * @param maxAge how long they are kept
 * @param maxBytes how large those are together that are kept, or {@link #ANY_SIZE}
 * @param target the queue that they are handed on to, if they are
 * @param source the queue whose dead messages are handed on to this one, if it is there
 * for them
 * @param redrive when they are redriven by themselves, if they are
 * @since 0.1.0
 */
public record DeadLetterSettings(long maxCount, Duration maxAge, long maxBytes, @Nullable String target,
		@Nullable String source, @Nullable RedriveRule redrive) {

	/**
	 * That there is no limit on their size.
	 */
	public static final long ANY_SIZE = Long.MAX_VALUE;

	/**
	 * Settings without a limit on their size, and without a rule.
	 */
	public DeadLetterSettings(long maxCount, Duration maxAge, @Nullable String target, @Nullable String source) {
		this(maxCount, maxAge, ANY_SIZE, target, source, null);
	}

	/**
	 * Checks the settings.
	 */
	public DeadLetterSettings {
		Assert.isTrue(maxCount >= 1, () -> "'dead-letters.max-count' must be at least 1: " + maxCount);
		Assert.isTrue(maxAge.toMillis() >= 1, () -> "'dead-letters.max-age' must be at least 1 ms: " + maxAge);
		Assert.isTrue(maxBytes >= 1, () -> "'dead-letters.max-bytes' must be at least 1: " + maxBytes);
	}

	/**
	 * Returns what becomes of the dead messages of a partition.
	 * @param partitions how many partitions the queue has, which keep the number together
	 * @return the settings
	 */
	public DeadLetterSettings share(int partitions) {
		return (partitions == 1) ? this
				: new DeadLetterSettings(part(this.maxCount, partitions), this.maxAge,
						(this.maxBytes != ANY_SIZE) ? part(this.maxBytes, partitions) : ANY_SIZE, this.target,
						this.source, this.redrive);
	}

	private static long part(long number, int partitions) {
		return (number + partitions - 1) / partitions;
	}

}
