package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A message cannot be converted for its handler, and another attempt will not help: it
 * cannot be read, its payload cannot be converted or is not valid, or it lacks a header.
 * Its message and its causes must not show what the payload holds.
 *
 * @since 0.1.0
 */
public class PayloadConversionException extends RuntimeException {

	/**
	 * Creates the exception.
	 * @param message what was wrong, without what is in the payload
	 * @param cause the cause, if it does not show what is in the payload
	 */
	public PayloadConversionException(@Nullable String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
