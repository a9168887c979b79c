package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A message was not sent.
 *
 * @since 0.1.0
 */
public class MessageSendException extends QueueException {

	public MessageSendException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
