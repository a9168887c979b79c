package io.redelay.docs.recipes;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Fulfilment {

	private final QueueOperations queues;

	private final Mailer mailer;

	Fulfilment(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	@QueueListener("paid-orders")
	void pack(String orderId) {
		this.queues.send(OutboundMessage.to("packed-orders", orderId).inDelivery());
		this.mailer.mail("warehouse", orderId); // if this throws, nothing was sent
	}

	@QueueListener("packed-orders")
	void handOver(String orderId) {
		this.mailer.mail("carrier", orderId);
	}

}
