package io.redelay.queue.store;

import org.springframework.util.Assert;

/**
 * How many living messages a queue may have, those that are scheduled or in flight
 * included.
 *
 * @param length how many
 * @param dropsOldest whether what has waited longest makes room for a new message; it is
 * refused otherwise, or where that makes no room because too many are in hand
 * @since 0.1.0
 */
public record LengthLimit(long length, boolean dropsOldest) {

	/**
	 * Checks the length.
	 */
	public LengthLimit {
		Assert.isTrue(length >= 1, () -> "'length' must be at least 1: " + length);
	}

	/**
	 * Returns the limit of a partition.
	 * @param partitions how many partitions share this limit
	 * @return an equal part of it, so that together they have no more
	 */
	public LengthLimit share(int partitions) {
		return (partitions == 1) ? this : new LengthLimit(Math.max(1, this.length / partitions), this.dropsOldest);
	}

}
