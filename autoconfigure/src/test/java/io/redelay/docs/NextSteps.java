package io.redelay.docs;

// tag::imports[]
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
// end::imports[]
// tag::other-imports[]
import io.redelay.queue.work.NextStep;
import reactor.core.publisher.Mono;
// end::other-imports[]

/**
 * The code of the chapter "The next step".
 */
class NextSteps {

	private final QueueOperations queues;

	private final PaidOrders orders;

	private final Stock stock;

	NextSteps(QueueOperations queues, PaidOrders orders, Stock stock) {
		this.queues = queues;
		this.orders = orders;
		this.stock = stock;
	}

	// tag::handler[]
	@QueueListener("paid-orders")
	void handle(Order order) {
		this.orders.markPaid(order);
		this.queues.send(OutboundMessage.to("parcels", new Parcel(order)).inDelivery());
	}
	// end::handler[]

	// tag::other-threads[]
	@QueueListener("paid-orders")
	Mono<Void> handle(Order order, NextStep nextStep) {
		return this.stock.reserve(order).doOnNext((reserved) -> nextStep.send("parcels", new Parcel(order))).then();
	}
	// end::other-threads[]

	interface PaidOrders {

		void markPaid(Order order);

	}

	interface Stock {

		Mono<Order> reserve(Order order);

	}

	record Order(String id) {

	}

	record Parcel(Order order) {

	}

}
