package io.redelay.migration;

// tag::send-imports[]
// tag::move-imports[]
import java.time.Duration;

import com.github.sonus21.rqueue.annotation.RqueueListener;
// end::move-imports[]
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
// end::send-imports[]
// tag::move-imports[]
import com.github.sonus21.rqueue.listener.RqueueMessageHeaders;
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.messaging.handler.annotation.Header;
// end::move-imports[]

/**
 * Sends and listens by Rqueue, and moves messages, for the guide.
 */
class RqueueOrders {

	static class Before {

		// tag::send[]
		private final RqueueMessageEnqueuer enqueuer;

		// end::send[]
		Before(RqueueMessageEnqueuer enqueuer) {
			this.enqueuer = enqueuer;
		}

		// tag::send[]
		void start(String orderId) {
			this.enqueuer.enqueueIn("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30));
		}

		@RqueueListener(value = "payment-timeout", numRetries = "3", deadLetterQueue = "timeout-dlq")
		public void cancel(TimeIsUp message) {
			cancel(message.orderId());
		}
		// end::send[]

		private void cancel(String orderId) {
		}

	}

	static class Meanwhile {

		private final QueueOperations queues;

		Meanwhile(QueueOperations queues) {
			this.queues = queues;
		}

		// tag::move[]
		@RqueueListener(value = "payment-timeout", numRetries = "2147483647")
		public void move(TimeIsUp message, @Header(RqueueMessageHeaders.ID) String id) {
			this.queues.send(OutboundMessage.to("payment-timeout", message)
				.id(id)
				.deduplicate(Deduplication.firstWins(id, Duration.ofDays(1))));
		}
		// end::move[]

	}

}
