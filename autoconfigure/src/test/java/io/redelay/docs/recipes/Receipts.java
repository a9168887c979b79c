package io.redelay.docs.recipes;

import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;

import org.springframework.stereotype.Component;

@Component
class Receipts {

	private final Mailer mailer;

	Receipts(Mailer mailer) {
		this.mailer = mailer;
	}

	@QueueListener(queues = "receipts", maxAttempts = "30", maxHandlingTime = "1m",
			backoff = @Backoff(initialInterval = "10s", multiplier = "2", maxInterval = "1h"))
	void mail(Receipt receipt) {
		this.mailer.mail(receipt.to(), receipt.text());
	}

	record Receipt(String to, String text) {
	}

}
