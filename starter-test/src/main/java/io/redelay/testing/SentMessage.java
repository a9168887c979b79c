package io.redelay.testing;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendResult;

/**
 * A message that was sent.
 *
 * @param message the message, as its sender and interceptors left it
 * @param result the result of its send
 * @since 0.1.0
 */
public record SentMessage(OutboundMessage message, SendResult result) {

	/**
	 * The queue that it was sent to.
	 * @return its name
	 */
	public String queue() {
		return this.message.queue();
	}

	/**
	 * Returns the payload.
	 * @return the payload, as its sender gave it
	 */
	public Object payload() {
		return this.message.payload();
	}

}
