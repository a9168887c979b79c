package io.redelay.docs;

// tag::imports[]
import java.time.Duration;

import io.redelay.queue.Durability;
import io.redelay.queue.OutboundMessage;
// end::imports[]
import io.redelay.queue.QueueOperations;
// tag::imports[]
import io.redelay.queue.SendResult;
// end::imports[]

/**
 * What the guide shows of sends that wait for copies.
 */
class Durably {

	private final QueueOperations queues;

	Durably(QueueOperations queues) {
		this.queues = queues;
	}

	void replicas(Object order) {
		// tag::replicas[]
		this.queues.send(OutboundMessage.to("orders", order).id("order-7").replicas(1, Duration.ofSeconds(2)));
		// end::replicas[]
	}

	boolean bestEffort(Object order) {
		// tag::best-effort[]
		SendResult result = this.queues.send(OutboundMessage.to("orders", order)
			.durability(Durability.appendOnlyFile(Duration.ofSeconds(1)).bestEffort()));
		return result.durability().reached();
		// end::best-effort[]
	}

}
