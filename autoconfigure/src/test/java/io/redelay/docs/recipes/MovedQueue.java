package io.redelay.docs.recipes;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class MovedQueue {

	private final QueueOperations queues;

	private final Mailer mailer;

	MovedQueue(QueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	void send(String letter) {
		this.queues.send("letters-v2", letter);
	}

	@QueueListener({ "letters-v2", "letters" })
	void handle(String letter) {
		this.mailer.mail("letters", letter);
	}

}
