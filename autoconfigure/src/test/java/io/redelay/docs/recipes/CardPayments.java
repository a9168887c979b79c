package io.redelay.docs.recipes;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;

import org.springframework.stereotype.Component;

@Component
class CardPayments {

	@QueueListener(queues = "card-payments", noRetryFor = IllegalArgumentException.class) // <1>
	void charge(Payment payment) {
		if (payment.cents() <= 0) {
			throw new IllegalArgumentException("Nothing to charge");
		}
		switch (payment.card()) {
			case "stolen" -> throw new RejectMessageException("The card is stolen"); // <2>
			case "busy" -> throw new RetryMessageException(Duration.ofMinutes(5)); // <3>
			default -> {
			}
		}
	}

	record Payment(String card, long cents) {
	}

}
