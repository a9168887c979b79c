package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler whose message can never be handled: it is kept among the dead
 * messages, with the reason.
 *
 * @since 0.1.0
 */
public class RejectMessageException extends QueueException {

	public RejectMessageException(String reason) {
		super(reason);
	}

	public RejectMessageException(String reason, @Nullable Throwable cause) {
		super(reason, cause);
	}

}
