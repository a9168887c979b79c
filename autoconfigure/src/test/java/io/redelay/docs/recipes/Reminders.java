package io.redelay.docs.recipes;

import java.time.Instant;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.MessageAdmin;

import org.springframework.stereotype.Component;

@Component
class Reminders {

	private final QueueOperations queues;

	private final MessageAdmin messages;

	private final Mailer mailer;

	Reminders(QueueOperations queues, MessageAdmin messages, Mailer mailer) {
		this.queues = queues;
		this.messages = messages;
		this.mailer = mailer;
	}

	void remind(String orderId, Instant time) {
		this.queues.send(OutboundMessage.to("reminders", orderId).id(orderId).dueAt(time));
	}

	boolean cancel(String orderId) {
		return this.messages.cancel("reminders", orderId).done();
	}

	boolean move(String orderId, Instant time) {
		return this.messages.rescheduleAt("reminders", orderId, time).done();
	}

	@QueueListener("reminders")
	void handle(String orderId) {
		this.mailer.mail("customer", "Please pay " + orderId);
	}

}
