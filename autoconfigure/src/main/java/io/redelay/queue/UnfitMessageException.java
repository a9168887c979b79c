package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A message does not fit its handler, and never will: its payload cannot be converted, or
 * is not valid. Its message and its causes must not show what the payload holds.
 *
 * @since 0.1.0
 */
public class UnfitMessageException extends RuntimeException {

	public UnfitMessageException(@Nullable String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
