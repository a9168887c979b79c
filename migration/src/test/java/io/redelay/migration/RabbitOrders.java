package io.redelay.migration;

// tag::move[]
import java.time.Duration;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

@Component
class RabbitOrders {

	private final QueueOperations queues;

	RabbitOrders(QueueOperations queues) {
		this.queues = queues;
	}

	@RabbitListener(queues = "payment-timeout")
	void move(TimeIsUp timeIsUp, @Header(name = AmqpHeaders.MESSAGE_ID, required = false) @Nullable String id) {
		OutboundMessage message = OutboundMessage.to("payment-timeout", timeIsUp);
		if (id != null) {
			message = message.id(id).deduplicate(Deduplication.firstWins(id, Duration.ofDays(1))); // <1>
		}
		this.queues.send(message); // <2>
	}

}
// end::move[]
