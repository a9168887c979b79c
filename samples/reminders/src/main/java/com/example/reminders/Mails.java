package com.example.reminders;

import io.redelay.queue.Backoff;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Mails {

	private static final Logger logger = LoggerFactory.getLogger(Mails.class);

	private final QueueOperations queues;

	Mails(QueueOperations queues) {
		this.queues = queues;
	}

	@PostMapping("/mails")
	void mailLater(@RequestBody Reminder reminder) {
		this.queues.send("mails", reminder);
	}

	@QueueListener(queues = "mails", maxAttempts = "3", backoff = @Backoff(initialInterval = "1s", multiplier = "2")) // <1>
	void mail(Reminder reminder, @Header(QueueHeaders.ATTEMPT) int attempt) {
		if (!reminder.to().contains("@")) { // <2>
			throw new IllegalArgumentException("'" + reminder.to() + "' is no address");
		}
		if (attempt == 1) { // <3>
			throw new IllegalStateException("The mail server is busy");
		}
		logger.info("Mailed {} to {}", reminder.text(), reminder.to());
	}

}
