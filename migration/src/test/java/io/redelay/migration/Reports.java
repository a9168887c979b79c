package io.redelay.migration;

// tag::redelay[]
import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringTick;

import org.springframework.stereotype.Component;

@Component
class Reports {

	@RecurringMessage(name = "nightly-report", cron = "0 0 2 * * *", zone = "Europe/Berlin", //
			from = "2027-03-01T12:00:00")
	@QueueListener("reports")
	void write(RecurringTick tick) {
		// …
	}

}
// end::redelay[]
