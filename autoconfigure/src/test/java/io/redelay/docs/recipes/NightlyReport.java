package io.redelay.docs.recipes;

import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringTick;

import org.springframework.stereotype.Component;

@Component
class NightlyReport {

	private final Mailer mailer;

	NightlyReport(Mailer mailer) {
		this.mailer = mailer;
	}

	@RecurringMessage(name = "sales-report", cron = "0 0 2 * * *", zone = "Europe/Berlin")
	@QueueListener(queues = "reports", maxAttempts = "10")
	void write(RecurringTick tick) {
		this.mailer.mail("sales", "The report of " + tick.scheduledFor());
	}

}
