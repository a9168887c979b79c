package io.redelay.docs.recipes;

import java.time.Duration;

import io.redelay.queue.ExpiryAction;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class LoginCodes {

	private final QueueOperations queues;

	LoginCodes(QueueOperations queues) {
		this.queues = queues;
	}

	void send(String phone, String code) {
		this.queues.send(OutboundMessage.to("login-codes", phone + ": " + code)
			.deadline(Duration.ofMinutes(5), ExpiryAction.DROP));
	}

}
