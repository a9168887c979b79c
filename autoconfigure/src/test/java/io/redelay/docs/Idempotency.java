package io.redelay.docs;

// tag::imports[]
import java.time.Duration;

import io.redelay.queue.QueueListener;
// end::imports[]

/**
 * The code of the chapter "Idempotent consumption".
 */
class Idempotency {

	private final io.redelay.queue.work.Idempotency idempotency;

	Idempotency(io.redelay.queue.work.Idempotency idempotency) {
		this.idempotency = idempotency;
	}

	// tag::key[]
	@QueueListener(queues = "imports", idempotencyKey = "#{payload.orderId}", idempotencyWindow = "24h")
	void bookOrder(ImportedOrder order) {
		// Book it.
	}
	// end::key[]

	// tag::scope[]
	@QueueListener(topic = "price-changes", idempotencyKey = "#{id}", idempotencyScope = "topic")
	void inform(PriceChange change) {
		// One of all instances informs the partner.
	}
	// end::scope[]

	boolean bean(String orderId) {
		// tag::bean[]
		boolean ran = this.idempotency.once("welcome/" + orderId, Duration.ofDays(1), () -> welcome(orderId)); // <1>
		this.idempotency.tryOnce("report", Duration.ofHours(20), this::writeReport); // <2>
		if (this.idempotency.isDone("welcome/" + orderId)) { // <3>
			this.idempotency.forget("welcome/" + orderId);
		}
		this.idempotency.markDone("migration-7", Duration.ofDays(365));
		// end::bean[]
		return ran;
	}

	private void welcome(String orderId) {
	}

	private void writeReport() {
	}

	record ImportedOrder(String orderId, int amount) {
	}

	record PriceChange(String item, int amount) {
	}

}
