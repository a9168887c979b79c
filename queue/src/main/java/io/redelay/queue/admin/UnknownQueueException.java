package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Nobody has used the queue: nothing was ever sent to it, and nobody listens to it.
 *
 * @since 0.1.0
 */
public class UnknownQueueException extends QueueException {

	public UnknownQueueException(String message) {
		super(message);
	}

}
