package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

/**
 * An envelope cannot be read, or could not be if it were written.
 *
 * @since 0.1.0
 */
public class EnvelopeException extends RuntimeException {

	public EnvelopeException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
