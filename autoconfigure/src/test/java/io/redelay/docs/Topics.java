package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.HeaderFilter;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueListener;
// end::imports[]
import io.redelay.queue.QueueOperations;
// tag::imports[]
import io.redelay.queue.admin.QueueAdmin;
// end::imports[]

/**
 * The code of the chapter "Topics".
 */
class Topics {

	private final QueueOperations queues;

	private final Orders orders;

	Topics(QueueOperations queues, Orders orders) {
		this.queues = queues;
		this.orders = orders;
	}

	// tag::publish[]
	PublishResult placed(String order) {
		return this.queues.publish("order-events", order); // <1>
	}

	PublishResult remind(String order) {
		return this.queues.publish(OutboundMessage.to("order-events", order) // <2>
			.delay(Duration.ofDays(1))
			.orderingKey(order));
	}
	// end::publish[]

	// tag::groups[]
	@QueueListener(topic = "order-events", group = "billing") // <1>
	void bill(String order) {
		this.orders.report("bill " + order);
	}

	@QueueListener(topic = "order-events", group = "shipping")
	void ship(String order) {
		this.orders.report("ship " + order);
	}

	@QueueListener(topic = "order-events") // <2>
	void show(String order) {
		this.orders.report("show " + order);
	}
	// end::groups[]

	// tag::filters[]
	@QueueListener(topic = "order-events", group = "europe",
			groupFilter = { @HeaderFilter(name = "region", oneOf = { "EU", "UK" }), // <1>
					@HeaderFilter(name = "source", prefix = "web"), @HeaderFilter(name = "test", exists = "false") })
	void european(String order) {
		this.orders.report("european " + order);
	}

	boolean isForEurope(String order) {
		PublishResult result = this.queues
			.publish(OutboundMessage.to("order-events", order).header("region", "EU").header("source", "web-shop"));
		return !result.leftOut().contains("europe"); // <2>
	}
	// end::filters[]

	// tag::replay[]
	long billAgain(QueueAdmin admin, Instant since) {
		return admin.topics().replay("order-events", "billing", since); // <1>
	}
	// end::replay[]

}
