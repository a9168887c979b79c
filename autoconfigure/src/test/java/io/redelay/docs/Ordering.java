package io.redelay.docs;

// tag::spreading-imports[]
import java.time.Duration;
// end::spreading-imports[]
import java.time.Instant;
// tag::spreading-imports[]
import java.util.List;

// tag::imports[]
// tag::fair-keys-imports[]
// tag::priorities-imports[]
import io.redelay.queue.OutboundMessage;
// end::spreading-imports[]
// end::priorities-imports[]
// end::fair-keys-imports[]
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
// tag::fair-keys-imports[]
// tag::priorities-imports[]
// tag::spreading-imports[]
import io.redelay.queue.SendResult;
// end::spreading-imports[]
// end::priorities-imports[]
// end::fair-keys-imports[]

import org.springframework.messaging.handler.annotation.Header;
// end::imports[]

/**
 * The code of the chapters on which message comes when.
 */
class Ordering {

	private final QueueOperations queues;

	Ordering(QueueOperations queues) {
		this.queues = queues;
	}

	SendResult ordering(OrderEvent event) {
		// tag::ordering[]
		SendResult result = this.queues.send(OutboundMessage.to("order-events", event).orderingKey(event.customerId()));
		// end::ordering[]
		return result;
	}

	SendResult holding(OrderEvent event) {
		// tag::holding[]
		SendResult result = this.queues
			.send(OutboundMessage.to("order-events", event).orderingKey(event.customerId()).deadHoldsKey(true));
		// end::holding[]
		return result;
	}

	// tag::listening[]
	@QueueListener(queues = "order-events", concurrency = "16")
	void handle(OrderEvent event, @Header(QueueHeaders.ORDERING_KEY) String customerId) {
		this.queues.send("audit", customerId + ": " + event.event());
	}
	// end::listening[]

	SendResult fair(Export export) {
		// tag::fair[]
		SendResult result = this.queues.send(OutboundMessage.to("exports", export).fairnessKey(export.tenant()));
		// end::fair[]
		return result;
	}

	SendResult weighted(Export export) {
		// tag::weighted[]
		SendResult result = this.queues.send(OutboundMessage.to("exports", export).fairnessKey(export.tenant(), 5));
		// end::weighted[]
		return result;
	}

	SendResult both(Export export) {
		// tag::both[]
		SendResult result = this.queues.send(OutboundMessage.to("exports", export).key(export.tenant()));
		// end::both[]
		return result;
	}

	SendResult priority(Export export) {
		// tag::priority[]
		SendResult result = this.queues.send(OutboundMessage.to("exports", export).priority(9));
		// end::priority[]
		return result;
	}

	List<SendResult> spread(List<Export> reminders, Instant nineOClock) {
		// tag::spread[]
		List<SendResult> results = this.queues.sendAll(reminders.stream()
			.map((reminder) -> OutboundMessage.to("reminders", reminder)
				.dueAt(nineOClock)
				.spread(Duration.ofMinutes(10)))
			.toList());
		// end::spread[]
		return results;
	}

	record OrderEvent(String customerId, String event) {

	}

	record Export(String tenant, String file) {

	}

}
