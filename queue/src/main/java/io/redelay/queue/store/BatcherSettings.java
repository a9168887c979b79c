package io.redelay.queue.store;

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
 */
record BatcherSettings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting, Duration renewal,
		Duration recognised) {

	BatcherSettings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting) {
		this(queue, kind, maxItems, maxWaiting, SenderMemory.RENEWAL, SenderMemory.RECOGNISED);
	}

}
