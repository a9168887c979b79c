package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Something went wrong with a queue or a message.
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
