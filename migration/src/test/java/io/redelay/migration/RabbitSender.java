package io.redelay.migration;

// tag::imports[]
import java.time.Duration;
import java.util.UUID;

import org.springframework.amqp.rabbit.core.RabbitTemplate;
// end::imports[]

/**
 * Sends through the exchange of the plugin, for the guide.
 */
class RabbitSender {

	private final RabbitTemplate rabbit;

	RabbitSender(RabbitTemplate rabbit) {
		this.rabbit = rabbit;
	}

	// tag::send[]
	void start(String orderId) {
		this.rabbit.convertAndSend("delayed", "payment-timeout", new TimeIsUp(orderId), (message) -> {
			message.getMessageProperties().setDelayLong(Duration.ofMinutes(30).toMillis());
			message.getMessageProperties().setMessageId(UUID.randomUUID().toString());
			return message;
		});
	}
	// end::send[]

}
