package io.redelay.docs.recipes;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class AccountEvents {

	private final QueueOperations queues;

	private final Mailer mailer;

	AccountEvents(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	void happened(AccountEvent event) {
		this.queues.send(OutboundMessage.to("account-events", event).orderingKey(event.customer()));
	}

	@QueueListener(queues = "account-events", concurrency = "16")
	void handle(AccountEvent event) {
		this.mailer.mail(event.customer(), event.text());
	}

	record AccountEvent(String customer, String text) {
	}

}
