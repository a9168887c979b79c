package io.redelay.docs.recipes;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.recurring.RecurringMessage;

import org.springframework.stereotype.Component;

@Component
class QuietNights {

	private final QueueGates gates;

	QuietNights(QueueGates gates) {
		this.gates = gates;
	}

	@RecurringMessage(name = "night", cron = "0 0 22 * * *", zone = "Europe/Berlin")
	@QueueListener("nights")
	void begin() {
		this.gates.close("offers", Duration.ofHours(9));
	}

}
