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
import io.redelay.queue.work.RecurringState;

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

	static class Campaign {

		// tag::limits[]
		@RecurringMessage(name = "campaign", cron = "0 0 9 * * *", zone = "Europe/Berlin", //
				from = "2027-03-01T00:00:00", until = "${campaign.end}", // <1>
				maxRuns = "20", // <2>
				jitter = "30m") // <4>
		@QueueListener("campaigns")
		void advertise(RecurringTick tick) {
			// …
		}

		@RecurringMessage(name = "warm-up", every = "6h", runAtDeclaration = "true") // <3>
		@QueueListener("caches")
		void warmUp(RecurringTick tick) {
			// …
		}
		// end::limits[]

	}

	static class Imports {

		private final Partner partner;

		private final RecurringMessages recurring;

		Imports(Partner partner, RecurringMessages recurring) {
			this.partner = partner;
			this.recurring = recurring;
		}

		// tag::state[]
		@RecurringMessage(name = "orders-of-acme", every = "10m")
		@QueueListener("imports")
		void read(RecurringState<Position> state) {
			Position from = state.get().orElse(new Position(0)); // <1>
			long last = this.partner.readOrdersAfter(from.lastOrder());
			state.set(new Position(last)); // <2>
		}
		// end::state[]

		// tag::options[]
		void importAt(String tenant, Duration interval) {
			this.recurring.declare(RecurringDeclaration.every("imports", "orders-of-" + tenant, interval)
				.jitter(interval.dividedBy(4))
				.options((message) -> message.priority(7)
					.fairnessKey(tenant)
					.maxAttempts(3)
					.deadline(interval)
					.header("tenant", tenant)));
		}
		// end::options[]

	}

	interface Partner {

		long readOrdersAfter(long order);

	}

	record Position(long lastOrder) {

	}

	record PartnerCheck(String partner) {

	}

	record Digest(String user) {

	}

}
