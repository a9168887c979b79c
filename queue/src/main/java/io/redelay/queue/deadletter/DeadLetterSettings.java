package io.redelay.queue.deadletter;

import java.time.Duration;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * Settings for the dead messages of a queue.
 *
 * @param maxCount how many are kept
 * @param maxAge how long they are kept
 * @param maxBytes the total size of those that are kept, or {@link #ANY_SIZE}
 * @param target the queue that they are forwarded to, or {@code null}
 * @param source the queue whose dead messages are forwarded to this one, or {@code null}
 * @param redrive the rule to redrive them automatically, or {@code null}
 * @since 0.1.0
 */
public record DeadLetterSettings(long maxCount, Duration maxAge, long maxBytes, @Nullable String target,
		@Nullable String source, @Nullable RedriveRule redrive) {

	/**
	 * No limit on their size.
	 */
	public static final long ANY_SIZE = Long.MAX_VALUE;

	/**
	 * Checks the settings.
	 */
	public DeadLetterSettings {
		if (maxCount < 1) {
			throw new IllegalArgumentException("'dead-letters.max-count' must be at least 1: " + maxCount);
		}
		if (maxAge.toMillis() < 1) {
			throw new IllegalArgumentException("'dead-letters.max-age' must be at least 1 ms: " + maxAge);
		}
		if (maxBytes < 1) {
			throw new IllegalArgumentException("'dead-letters.max-bytes' must be at least 1: " + maxBytes);
		}
	}

	/**
	 * Returns the settings for the dead messages of a partition.
	 * @param partitions how many partitions of the queue share the limits
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
