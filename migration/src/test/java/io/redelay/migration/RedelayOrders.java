package io.redelay.migration;

// tag::imports[]
import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
// end::imports[]

/**
 * Sends and listens by Redelay, for the guide.
 */
class RedelayOrders {

	// tag::redelay[]
	private final QueueOperations queues;

	// end::redelay[]
	RedelayOrders(QueueOperations queues) {
		this.queues = queues;
	}

	// tag::redelay[]
	void start(String orderId) {
		this.queues.send("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30));
	}

	@QueueListener("payment-timeout")
	void cancel(TimeIsUp message) {
		cancel(message.orderId());
	}
	// end::redelay[]

	private void cancel(String orderId) {
	}

}
