package io.redelay.testing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

/**
 * Reminds guests, and says so in a second message.
 */
@Component
class Reminders {

	static final String QUEUE = "reminders";

	final List<String> reminded = new CopyOnWriteArrayList<>();

	final List<String> logged = new CopyOnWriteArrayList<>();

	private final QueueOperations queues;

	Reminders(QueueOperations queues) {
		this.queues = queues;
	}

	void remind(String guest) {
		this.queues.send(QUEUE, guest, Duration.ofDays(1));
	}

	@QueueListener(queues = QUEUE, maxAttempts = "2")
	void due(String guest) {
		if (guest.startsWith("unknown")) {
			throw new IllegalArgumentException("No such guest: " + guest);
		}
		this.reminded.add(guest);
		this.queues.send("reminder-log", guest);
	}

	@QueueListener(queues = "reminder-log")
	void log(String guest) {
		this.logged.add(guest);
	}

}
