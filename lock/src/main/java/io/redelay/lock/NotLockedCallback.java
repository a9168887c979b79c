package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs instead if a lock was not acquired.
 *
 * @param <T> the type of its result
 * @param <E> the type of the exception that it throws
 * @since 0.1.0
 */
@FunctionalInterface
public interface NotLockedCallback<T, E extends Throwable> {

	/**
	 * Returns the result of the call, or throws.
	 * @param exception names the lock
	 * @return the result
	 * @throws E the exception that the caller gets
	 */
	@Nullable T run(LockNotAcquiredException exception) throws E;

}
