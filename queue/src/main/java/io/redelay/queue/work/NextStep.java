package io.redelay.queue.work;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;

/**
 * Sends messages with the acknowledgement of the message that is being handled: both
 * happen, or neither. A handler takes it as a parameter, and may use it on any thread
 * until the message is settled:
 * {@code Mono<Void> handle(Order order, NextStep nextStep)}. On the thread of the handler
 * {@link OutboundMessage#inDelivery()} does the same.
 *
 * @since 0.1.0
 */
public interface NextStep {

	/**
	 * Sends a message with the acknowledgement.
	 * @param message the message
	 * @return an estimate, whose outcome is {@link SendOutcome#PENDING}
	 * @throws MessageSendException if it cannot be sent, or if the message that is
	 * handled is settled
	 */
	SendResult send(OutboundMessage message);

	/**
	 * Sends a payload with the acknowledgement.
	 * @param queue the queue
	 * @param payload the payload
	 * @return an estimate, whose outcome is {@link SendOutcome#PENDING}
	 * @throws MessageSendException if it cannot be sent, or if the message that is
	 * handled is settled
	 */
	default SendResult send(String queue, Object payload) {
		return send(OutboundMessage.to(queue, payload));
	}

}
