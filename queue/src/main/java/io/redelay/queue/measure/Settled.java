package io.redelay.queue.measure;

/**
 * What became of messages that one request settled.
 *
 * @param acknowledged how many are done, without those whose time was over before they
 * were handled
 * @param retried how many are tried again after a failure
 * @param dead how many died, those included that moved to a dead-letter queue
 * @param returned how many were given back with no attempt counted: because of a lock, a
 * limit, a gate, a key that is being handled, or a stop
 * @param others how many ended in another way: cancelled, or dropped because their time
 * was over
 * @since 0.1.0
 */
public record Settled(int acknowledged, int retried, int dead, int returned, int others) {

	/**
	 * Returns how many messages were settled.
	 * @return the sum
	 */
	public int total() {
		return this.acknowledged + this.retried + this.dead + this.returned + this.others;
	}

}
