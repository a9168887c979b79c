package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A queue or a message could not be used as requested: the base of all exceptions about
 * queues.
 *
 * @since 0.1.0
 */
public class QueueException extends RuntimeException {

	public QueueException(String message) {
		super(message);
	}

	public QueueException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
