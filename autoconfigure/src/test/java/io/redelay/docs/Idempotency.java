package io.redelay.docs;

// tag::imports[]
import io.redelay.queue.QueueListener;
// end::imports[]

/**
 * The code of the chapter "Idempotent consumption".
 */
class Idempotency {

	// tag::key[]
	@QueueListener(queues = "imports", idempotencyKey = "#{payload.orderId}", idempotencyWindow = "24h")
	void bookOrder(ImportedOrder order) {
		// Book it.
	}
	// end::key[]

	record ImportedOrder(String orderId, int amount) {
	}

}
