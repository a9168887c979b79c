package io.redelay.docs.recipes;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class CustomerCalls {

	private final QueueOperations queues;

	private final Mailer mailer;

	CustomerCalls(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	void request(String customer, String text) {
		this.queues.send(OutboundMessage.to("customer-calls", text).fairnessKey(customer));
	}

	@QueueListener(queues = "customer-calls", keyRateLimit = "10/1s", keyMaxInFlight = "2", rateLimit = "200/1s")
	void call(String text) {
		this.mailer.mail("api", text);
	}

}
