package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * What happens if a lock could not be had.
 *
 * @param <T> the type of its result
 * @param <E> the type of what it throws
 * @since 0.1.0
 */
@FunctionalInterface
public interface NotLockedCallback<T, E extends Throwable> {

	/**
	 * Gives what stands in for the result, or throws.
	 * @param exception says which lock
	 * @return the result
	 * @throws E what the caller is to get
	 */
	@Nullable T run(LockNotAcquiredException exception) throws E;

}
