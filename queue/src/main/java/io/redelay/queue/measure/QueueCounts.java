package io.redelay.queue.measure;

/**
 * The counts of a queue in some time.
 *
 * @param sent how many messages were sent
 * @param handled how many were handled and are done
 * @param failed how many attempts failed, the last ones of those that died of it and
 * those of messages that were acknowledged before included
 * @param dead how many messages died, whether they were handled or not
 * @param returned how many were given back with no attempt counted
 * @param waits the number of messages in {@code waitMillis}
 * @param waitMillis the sum of the times that messages waited from their due time to
 * their handler
 * @param maxWaitMillis how long one waited at most
 * @param handlings the number of messages in {@code handlingMicros}
 * @param handlingMicros the sum of the times of handlers
 * @param maxHandlingMicros how long one took at most
 * @since 0.1.0
 */
public record QueueCounts(long sent, long handled, long failed, long dead, long returned, long waits, long waitMillis,
		long maxWaitMillis, long handlings, long handlingMicros, long maxHandlingMicros) {

	/**
	 * Counts that are all zero.
	 */
	public static final QueueCounts NONE = new QueueCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

	/**
	 * Adds the counts of another instance, or of another time.
	 * @param other the other counts
	 * @return the sums, and the larger ones of the maximums
	 */
	public QueueCounts plus(QueueCounts other) {
		return new QueueCounts(this.sent + other.sent, this.handled + other.handled, this.failed + other.failed,
				this.dead + other.dead, this.returned + other.returned, this.waits + other.waits,
				this.waitMillis + other.waitMillis, Math.max(this.maxWaitMillis, other.maxWaitMillis),
				this.handlings + other.handlings, this.handlingMicros + other.handlingMicros,
				Math.max(this.maxHandlingMicros, other.maxHandlingMicros));
	}

}
