package io.redelay.migration;

// tag::move-imports[]
import java.time.Duration;
import java.util.UUID;

// tag::send-imports[]
import io.awspring.cloud.sqs.annotation.SqsListener;
// end::move-imports[]
import io.awspring.cloud.sqs.operations.SqsTemplate;
// end::send-imports[]
// tag::move-imports[]
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
// end::move-imports[]

/**
 * Sends and listens by Amazon SQS, and moves messages, for the guide.
 */
class SqsOrders {

	static class Before {

		// tag::send[]
		private final SqsTemplate sqs;

		// end::send[]
		Before(SqsTemplate sqs) {
			this.sqs = sqs;
		}

		// tag::send[]
		void start(String orderId) {
			this.sqs.send((to) -> to.queue("payment-timeout").payload(new TimeIsUp(orderId)).delaySeconds(900));
		}

		@SqsListener("payment-timeout")
		void cancel(TimeIsUp message) {
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
		@SqsListener("payment-timeout")
		void move(TimeIsUp message, @Header(MessageHeaders.ID) UUID id) {
			this.queues.send(OutboundMessage.to("payment-timeout", message)
				.id(id.toString())
				.deduplicate(Deduplication.firstWins(id.toString(), Duration.ofDays(15)))); // <1>
		}
		// end::move[]

	}

}
