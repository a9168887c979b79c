package io.redelay.queue.request;

import org.jspecify.annotations.Nullable;

/**
 * The store may or may not have carried out a request: it was sent, and no answer came.
 *
 * @since 0.1.0
 */
public class OutcomeUnknownException extends StoreException {

	public OutcomeUnknownException(String message, @Nullable Throwable cause) {
		super(message, cause, true);
	}

}
