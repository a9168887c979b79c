package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * The name of a lock could not be computed for a call.
 *
 * @since 0.1.0
 */
public class LockNameException extends LockException {

	public LockNameException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
