package io.redelay.docs;

// tag::gates-imports[]
import java.time.Duration;

// tag::limits-imports[]
import io.redelay.queue.QueueListener;
// end::limits-imports[]
import io.redelay.queue.QueueWaitException;
// end::gates-imports[]
// tag::limits-imports[]
import io.redelay.queue.admin.LimitsChange;
// end::limits-imports[]
import io.redelay.queue.admin.QueueAdmin;
// tag::limits-imports[]
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueLimits;
// end::limits-imports[]
// tag::gates-imports[]
import io.redelay.queue.listener.QueueGate;
// end::gates-imports[]
import io.redelay.queue.listener.QueueGates;

// tag::gates-imports[]
import org.springframework.stereotype.Component;
// end::gates-imports[]

/**
 * Listeners with limits, for the guide.
 */
class Limits {

	static class Webhooks {

		// tag::limits[]
		@QueueListener(queues = "webhooks", rateLimit = "100/1s", // <1>
				maxInFlight = "20", // <2>
				keyRateLimit = "10/1s", keyMaxInFlight = "2") // <3>
		void call(Webhook webhook) {
			webhook.call();
		}
		// end::limits[]

	}

	static class Operator {

		private final QueueAdmin admin;

		Operator(QueueAdmin admin) {
			this.admin = admin;
		}

		QueueLimits.Entry change() {
			// tag::changing[]
			this.admin.limits().change("webhooks", LimitsChange.none().rateLimit("20/1s").keyMaxInFlight(1)); // <1>
			QueueLimits.Entry rate = this.admin.limits().of("webhooks").of(QueueLimit.RATE_LIMIT); // <2>
			this.admin.limits().change("webhooks", LimitsChange.none().clear(QueueLimit.RATE_LIMIT)); // <3>
			this.admin.limits().clear("webhooks"); // <4>
			// end::changing[]
			return rate;
		}

	}

	static class Merchants {

		// tag::gate[]
		@QueueListener("webhooks")
		void call(Webhook webhook) {
			int status = webhook.call();
			if (status == 503) {
				throw QueueWaitException.ofQueue(Duration.ofSeconds(30), null); // <1>
			}
			if (status == 429) {
				throw QueueWaitException.ofKey(Duration.ofSeconds(30), null); // <2>
			}
		}
		// end::gate[]

	}

	static class Maintenance {

		private final QueueGates gates;

		Maintenance(QueueGates gates) {
			this.gates = gates;
		}

		void begin() {
			// tag::gates[]
			this.gates.close("webhooks", Duration.ofMinutes(10)); // <1>
			this.gates.close("webhooks", "merchant-17", Duration.ofHours(1));
			this.gates.open("webhooks"); // <2>
			// end::gates[]
		}

	}

	// tag::local[]
	@Component
	static class PoolGate implements QueueGate {

		private final Pool pool;

		PoolGate(Pool pool) {
			this.pool = pool;
		}

		@Override
		public boolean isOpen(String listener, String queue) {
			return this.pool.hasRoom(); // <1>
		}

		@Override
		public void onChange(Runnable changed) {
			this.pool.whenItHasRoomAgain(changed); // <2>
		}

	}
	// end::local[]

	interface Pool {

		boolean hasRoom();

		void whenItHasRoomAgain(Runnable action);

	}

	record Webhook(String merchant, String address) {

		int call() {
			return 200; // it was sent
		}

	}

}
