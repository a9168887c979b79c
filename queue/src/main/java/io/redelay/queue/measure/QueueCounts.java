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
 * @param waitMillis the times that messages waited from their due time to their handler
 * @param handlingMicros the times of handlers
 * @since 0.1.0
 */
public record QueueCounts(long sent, long handled, long failed, long dead, long returned, Times waitMillis,
		Times handlingMicros) {

	/**
	 * Counts that are all zero.
	 */
	public static final QueueCounts NONE = new QueueCounts(0, 0, 0, 0, 0, Times.NONE, Times.NONE);

	/**
	 * Adds the counts of another instance, or of another time.
	 * @param other the other counts
	 * @return the sums, and the larger ones of the maximums
	 */
	public QueueCounts plus(QueueCounts other) {
		return new QueueCounts(this.sent + other.sent, this.handled + other.handled, this.failed + other.failed,
				this.dead + other.dead, this.returned + other.returned, this.waitMillis.plus(other.waitMillis),
				this.handlingMicros.plus(other.handlingMicros));
	}

	/**
	 * The times that some of the messages took.
	 *
	 * @param number how many messages they are of
	 * @param sum their sum
	 * @param max the longest one
	 */
	public record Times(long number, long sum, long max) {

		/**
		 * The times of no messages.
		 */
		public static final Times NONE = new Times(0, 0, 0);

		/**
		 * Returns how long one message took on the average.
		 * @return the mean; 0 of no messages
		 */
		public long mean() {
			return (this.number > 0) ? this.sum / this.number : 0;
		}

		private Times plus(Times other) {
			return new Times(this.number + other.number, this.sum + other.sum, Math.max(this.max, other.max));
		}

	}

}
