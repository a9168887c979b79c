package io.redelay.docs;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

/**
 * The code of the chapter "Getting started".
 */
// tag::bean[]
@Component
class PaymentTimeout {

	private final QueueOperations queues;

	private final Orders orders;

	PaymentTimeout(QueueOperations queues, Orders orders) {
		this.queues = queues;
		this.orders = orders;
	}

	void start(String orderId) {
		this.queues.send("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30));
	}

	@QueueListener("payment-timeout")
	void cancel(TimeIsUp message) {
		this.orders.cancelIfUnpaid(message.orderId());
	}

	record TimeIsUp(String orderId) {

	}

}
// end::bean[]
