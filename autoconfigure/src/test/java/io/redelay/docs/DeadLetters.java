package io.redelay.docs;

// tag::imports[]
import java.util.List;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.listener.MessageRetryListener;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;

// end::imports[]

/**
 * The code of the chapter "Dead letters".
 */
@Configuration(proxyBeanMethods = false)
class DeadLetters {

	// tag::trimmed[]
	@Bean
	MessageRetryListener trimmed(Orders orders) {
		return new MessageRetryListener() {

			@Override
			public void onTrimmed(String queue, List<String> uids) {
				orders.report("removed " + uids.size() + " dead of " + queue);
			}

		};
	}
	// end::trimmed[]

	@Bean
	Handlers deadLetterHandlers(Orders orders, QueueOperations queues) {
		return new Handlers(orders, queues);
	}

	/**
	 * Handlers of what dies, and of what is dead.
	 */
	static class Handlers {

		private final Orders orders;

		private final QueueOperations queues;

		Handlers(Orders orders, QueueOperations queues) {
			this.orders = orders;
			this.queues = queues;
		}

		// tag::queue[]
		@QueueListener(queues = "shipments", deadLetterQueue = "shipments.failed") // <1>
		void ship(String parcel) {
			throw new RejectMessageException("Nobody carries a " + parcel);
		}

		@QueueListener("shipments.failed")
		void lookInto(String parcel, FailedAttempt death) { // <2>
			this.orders.report(parcel + " was not shipped: " + death.message());
		}
		// end::queue[]

		@QueueListener("offers")
		void offer(String customer) {
			throw new RejectMessageException("Not today");
		}

		// tag::listener[]
		@QueueListener(deadLettersOf = "offers")
		void apologise(String customer, @Header(QueueHeaders.DEATH_REASON) DeathReason reason) {
			this.orders.report("sorry, " + customer + ": " + reason);
		}
		// end::listener[]

		// tag::back[]
		@QueueListener("parcels.failed")
		void sendBack(String parcel, @Header(QueueHeaders.ORIGINAL_QUEUE) String queue) {
			this.queues.send(queue, parcel);
		}
		// end::back[]

	}

}
