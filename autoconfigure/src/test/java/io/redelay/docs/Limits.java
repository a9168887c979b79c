package io.redelay.docs;

import io.redelay.queue.QueueListener;

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

	record Webhook(String merchant, String address) {

		void call() {
			// Sends it.
		}

	}

}
