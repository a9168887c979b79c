package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;

/**
 * The history of a queue in the last hour, in all partitions and all instances, including
 * those that have ended since.
 *
 * @param queue the queue
 * @param time when it was read, by the clock of Redis
 * @param minutes {@value #MINUTES} minutes, the oldest first; the last one is not over
 * @param lastMinute the last sixty seconds, to within five seconds
 * @since 0.1.0
 */
public record QueueHistory(String queue, Instant time, List<QueueMinute> minutes, QueueMinute lastMinute) {

	/**
	 * How many minutes there are.
	 */
	public static final int MINUTES = 60;

	/**
	 * Returns when the first minute began.
	 * @return when, by the clock of Redis
	 */
	public Instant from() {
		return this.minutes.get(0).start();
	}

}
