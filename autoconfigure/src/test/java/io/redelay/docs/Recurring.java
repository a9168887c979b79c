package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.time.ZoneId;

import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;

import org.springframework.context.event.EventListener;
// end::imports[]

/**
 * Recurring messages, for the guide.
 */
class Recurring {

	static class Reports {

		// tag::listener[]
		@RecurringMessage(name = "nightly-report", cron = "0 0 2 * * *", zone = "Europe/Berlin") // <1>
		@QueueListener("reports")
		void write(RecurringTick tick) { // <2>
			// …
		}
		// end::listener[]

	}

	static class Checks {

		// tag::payload[]
		@RecurringMessage(queue = "partner-checks", every = "10m", missed = MissedTicks.SKIP)
		PartnerCheck acme() {
			return new PartnerCheck("acme");
		}
		// end::payload[]

	}

	static class Digests {

		private final RecurringMessages recurring;

		Digests(RecurringMessages recurring) {
			this.recurring = recurring;
		}

		// tag::api[]
		void subscribe(String user, ZoneId zone) {
			this.recurring.declare(RecurringDeclaration.cron("digests", "digest-of-" + user, "0 0 8 * * MON-FRI") // <1>
				.zone(zone)
				.payload(new Digest(user))
				.missed(MissedTicks.ONCE)
				.overlap(OverlappingRuns.QUEUE)
				.lateAfter(Duration.ofMinutes(10)));
		}

		void unsubscribe(String user) {
			this.recurring.remove("digests", "digest-of-" + user);
		}
		// end::api[]

		// tag::events[]
		@EventListener
		void on(RecurringEvent event) {
			if (event.kind() == RecurringEvent.Kind.MISSING) {
				// …
			}
		}
		// end::events[]

	}

	record PartnerCheck(String partner) {

	}

	record Digest(String user) {

	}

}
