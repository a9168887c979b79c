package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

/**
 * The store did not carry out a request.
 *
 * @since 0.1.0
 */
public class StoreException extends RuntimeException {

	public StoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
