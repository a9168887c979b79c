// tag::first[]
package com.example.reminders;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Reminders {

	private static final Logger logger = LoggerFactory.getLogger(Reminders.class);

	private final QueueOperations queues;

	Reminders(QueueOperations queues) {
		this.queues = queues;
	}

	@PostMapping("/reminders")
	void remindNow(@RequestBody Reminder reminder) {
		this.queues.send("reminders", reminder);
	}

	@QueueListener("reminders")
	void remind(Reminder reminder) {
		logger.info("{}: {}", reminder.to(), reminder.text());
	}
	// end::first[]

	// tag::later[]
	@PostMapping("/reminders/in/{delay}")
	void remindLater(@PathVariable Duration delay, @RequestBody Reminder reminder) {
		this.queues.send("reminders", reminder, delay);
	}
	// end::later[]
	// tag::first[]

}
// end::first[]
