package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * It is unknown whether a message was sent: no answer of Redis came within
 * {@code redelay.queue.resend-timeout}. Sending the message again may send it twice,
 * unless it has an id.
 *
 * @since 0.1.0
 */
public class SendOutcomeUnknownException extends MessageSendException {

	public SendOutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
