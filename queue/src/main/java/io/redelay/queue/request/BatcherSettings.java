package io.redelay.queue.request;

import java.time.Duration;

/**
 * The settings of a {@link RequestBatcher}.
 *
 * @param queue the queue
 * @param kind the use of its lanes
 * @param maxItems how many items a request has at most
 * @param maxWaiting how many items wait at most; more are refused
 * @param renewal how often a lane in use is renewed
 * @param recognised for how long after its renewal Redis certainly remembers a lane
 * @since 0.1.0
 */
public record BatcherSettings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting, Duration renewal,
		Duration recognised) {

	/**
	 * Settings of lanes that are renewed in time.
	 */
	public BatcherSettings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting) {
		this(queue, kind, maxItems, maxWaiting, SenderMemory.RENEWAL, SenderMemory.RECOGNISED);
	}

}
