package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs under a lock.
 *
 * @param <T> the type of its result
 * @param <E> the type of the exception that it throws
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockedCallback<T, E extends Throwable> {

	/**
	 * Runs the code.
	 * @return the result
	 * @throws E the exception that the caller gets
	 */
	@Nullable T run() throws E;

}
