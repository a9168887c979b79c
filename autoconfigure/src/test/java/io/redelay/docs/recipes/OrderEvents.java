package io.redelay.docs.recipes;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class OrderEvents {

	private final QueueOperations queues;

	private final Mailer mailer;

	OrderEvents(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	void placed(String orderId) {
		this.queues.publish("orders-placed", new OrderPlaced(orderId));
	}

	@QueueListener(topic = "orders-placed", group = "billing")
	void bill(OrderPlaced event) {
		this.mailer.mail("billing", event.orderId());
	}

	@QueueListener(topic = "orders-placed", group = "shipping")
	void ship(OrderPlaced event) {
		this.mailer.mail("shipping", event.orderId());
	}

	record OrderPlaced(String orderId) {
	}

}
