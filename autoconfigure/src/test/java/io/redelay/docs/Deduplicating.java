package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.util.List;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.QueueAdmin;
// end::imports[]

/**
 * The code of the chapter "Deduplication".
 */
class Deduplicating {

	private final QueueOperations queues;

	private final Orders orders;

	Deduplicating(QueueOperations queues, Orders orders) {
		this.queues = queues;
		this.orders = orders;
	}

	SendResult firstWins(Order order) {
		// tag::first-wins[]
		SendResult result = this.queues.send(OutboundMessage.to("invoices", order)
			.deduplicate(Deduplication.firstWins("order-" + order.id(), Duration.ofDays(1))));
		// end::first-wins[]
		return result;
	}

	SendResult extended(Order order) {
		// tag::extended[]
		SendResult result = this.queues.send(OutboundMessage.to("invoices", order)
			.deduplicate(Deduplication.firstWins("order-" + order.id(), Duration.ofMinutes(10)).extended()));
		// end::extended[]
		return result;
	}

	SendResult debounce(Product product) {
		// tag::debounce[]
		SendResult result = this.queues.send(OutboundMessage.to("search-index", product)
			.deduplicate(
					Deduplication.debounce("product-" + product.id(), Duration.ofSeconds(5), Duration.ofMinutes(1))));
		// end::debounce[]
		return result;
	}

	SendResult aggregate(Event event) {
		// tag::aggregate[]
		SendResult result = this.queues.send(OutboundMessage.to("digest-mails", event)
			.deduplicate(Deduplication.aggregate(event.reader(), Duration.ofMinutes(10), 20)));
		// end::aggregate[]
		return result;
	}

	SendResult gracePeriod(Event event) {
		// tag::grace-period[]
		SendResult result = this.queues.send(OutboundMessage.to("digest-mails", event)
			.deduplicate(Deduplication.aggregate(event.reader(), Duration.ofMinutes(10), 20)
				.gracePeriod(Duration.ofMinutes(1))));
		// end::grace-period[]
		return result;
	}

	// tag::digest[]
	@QueueListener("digest-mails")
	void mail(List<Event> events) {
		this.orders.report("one mail to " + events.get(0).reader() + " about " + events.size() + " events");
	}
	// end::digest[]

	boolean free(QueueAdmin admin, Order order) {
		// tag::free[]
		String key = "order-" + order.id();
		List<DeduplicationKey> keys = admin.queues().deduplicationKeys("invoices", key);
		boolean freed = admin.control().freeDeduplicationKey("invoices", key);
		// end::free[]
		return freed && !keys.isEmpty();
	}

	record Order(String id) {

	}

	record Product(String id, String name) {

	}

	record Event(String reader, String text) {

	}

}
