package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Thrown if a queue was never used: no message was ever sent to it, and it has no
 * listener.
 *
 * @since 0.1.0
 */
public class UnknownQueueException extends QueueException {

	public UnknownQueueException(String message) {
		super(message);
	}

}
