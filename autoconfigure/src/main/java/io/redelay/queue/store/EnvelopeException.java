package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

/**
 * An envelope cannot be read.
 *
 * @since 0.1.0
 */
public class EnvelopeException extends RuntimeException {

	public EnvelopeException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
