package io.redelay.queue.idempotency;

import org.springframework.messaging.Message;

/**
 * Finds the idempotency key of a message.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MessageKey {

	/**
	 * Returns the key of a message.
	 * @param message the message as its handler gets it, with the payload converted
	 * @return the key, neither empty nor blank
	 * @throws RuntimeException if the message has none, with a text that says why and
	 * does not quote the payload
	 */
	String of(Message<?> message);

}
