package io.redelay.docs.recipes;

import java.time.Duration;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Invoices {

	private final QueueOperations queues;

	private final Mailer mailer;

	Invoices(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	void request(Invoice invoice) {
		this.queues.send(OutboundMessage.to("invoices", invoice)
			.deduplicate(Deduplication.firstWins(invoice.orderId(), Duration.ofDays(1)))); // <1>
	}

	@QueueListener(queues = "invoices", idempotencyKey = "#{payload.orderId}", idempotencyWindow = "7d") // <2>
	void write(Invoice invoice) {
		this.mailer.mail(invoice.email(), "The invoice of " + invoice.orderId());
	}

	record Invoice(String orderId, String email) {
	}

}
