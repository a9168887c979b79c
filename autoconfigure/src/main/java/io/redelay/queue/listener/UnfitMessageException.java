package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * A message does not fit its handler, and never will: its payload cannot be converted, or
 * is not valid.
 *
 * @since 0.1.0
 */
public class UnfitMessageException extends RuntimeException {

	public UnfitMessageException(@Nullable String message, Throwable cause) {
		super(message, cause);
	}

}
