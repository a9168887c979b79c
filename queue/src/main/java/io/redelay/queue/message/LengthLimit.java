package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How many living messages a queue may have, scheduled and held ones included, and how
 * long the line of a single ordering key may be.
 *
 * @param length how many messages the queue may have; {@link #ANY} for any number
 * @param dropsOldest whether the message that has waited longest makes room for a new
 * one. Otherwise the new one is refused, also if too many are held to make room
 * @param lineLength how long the line of an ordering key may be, or {@code null} for any
 * length; a message beyond it is refused
 * @since 0.1.0
 */
public record LengthLimit(long length, boolean dropsOldest, @Nullable Integer lineLength) {

	/**
	 * The length of a queue that may have any number of messages.
	 */
	public static final long ANY = Long.MAX_VALUE;

	/**
	 * The length of a line that may have any number of messages, also if another length
	 * is set for all instances.
	 */
	public static final int ANY_LINE = Integer.MAX_VALUE;

	/**
	 * The limit of messages that were already sent, to another queue: none is refused.
	 */
	public static final LengthLimit EXEMPT = new LengthLimit(ANY, false, ANY_LINE);

	/**
	 * Checks the lengths.
	 */
	public LengthLimit {
		Assert.isTrue(length >= 1, () -> "'length' must be at least 1: " + length);
		Assert.isTrue(lineLength == null || lineLength >= 1, () -> "'lineLength' must be at least 1: " + lineLength);
	}

	/**
	 * Returns whether the queue may have any number of messages, and only its lines are
	 * limited.
	 * @return whether it is so
	 */
	public boolean isOfLinesOnly() {
		return this.length == ANY;
	}

	/**
	 * Returns the limit of a partition.
	 * @param partitions how many partitions share this limit
	 * @return an equal part of it, so that all parts together are no more. A line is in
	 * one partition, so its limit is not divided
	 */
	public LengthLimit share(int partitions) {
		return (partitions == 1 || isOfLinesOnly()) ? this
				: new LengthLimit(Math.max(1, this.length / partitions), this.dropsOldest, this.lineLength);
	}

}
