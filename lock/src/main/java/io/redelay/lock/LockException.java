package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * A lock could not be used as requested: the base of all exceptions about locks.
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
