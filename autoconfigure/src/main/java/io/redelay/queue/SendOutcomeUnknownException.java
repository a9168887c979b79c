package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * It is unknown whether a message was sent: Redis was asked, and no answer came for as
 * long as {@code redelay.queue.resend-timeout} says. Who sends it again may send it
 * twice, unless it has an id.
 *
 * @since 0.1.0
 */
public class SendOutcomeUnknownException extends MessageSendException {

	public SendOutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
