package io.redelay.queue.message;

import java.time.Duration;

/**
 * How many completed messages are kept, for how long, and how large they are together.
 *
 * @param maxAge how long they are kept
 * @param maxCount how many are kept
 * @param maxBytes how large their envelopes and results are together, or
 * {@link #ANY_SIZE}
 * @since 0.1.0
 */
public record RetentionBounds(Duration maxAge, long maxCount, long maxBytes) {

	/**
	 * No limit on their size: a number that scripts read exactly.
	 */
	public static final long ANY_SIZE = 1L << 53;

	/**
	 * The bounds that are not declared otherwise.
	 */
	public static final RetentionBounds DEFAULTS = new RetentionBounds(Duration.ofDays(7), 10_000, ANY_SIZE);

	public RetentionBounds {
		if (maxAge.toMillis() < 1) {
			throw new IllegalArgumentException("'completed.max-age' must be at least 1 ms: " + maxAge);
		}
		if (maxCount < 1) {
			throw new IllegalArgumentException("'completed.max-count' must be at least 1: " + maxCount);
		}
		if (maxBytes < 1) {
			throw new IllegalArgumentException("'completed.max-bytes' must be at least 1: " + maxBytes);
		}
	}

	/**
	 * Returns the bounds of a partition.
	 * @param partitions how many partitions the queue has, which keep the number and the
	 * size together
	 * @return the bounds
	 */
	public RetentionBounds share(int partitions) {
		return (partitions == 1) ? this
				: new RetentionBounds(this.maxAge, (this.maxCount + partitions - 1) / partitions,
						(this.maxBytes != ANY_SIZE) ? (this.maxBytes + partitions - 1) / partitions : ANY_SIZE);
	}

}
