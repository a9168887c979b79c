package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * Something is wrong with a lock.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	public LockException(String message) {
		this(message, null);
	}

	public LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
