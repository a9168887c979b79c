package com.example.reminders;

import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringTick;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

@Component
class Digests {

	private static final Logger logger = LoggerFactory.getLogger(Digests.class);

	@RecurringMessage(name = "digest", every = "30s") // <1>
	@QueueListener("digests")
	void write(RecurringTick tick) {
		logger.info("The digest of {}", tick.scheduledFor());
	}

}
