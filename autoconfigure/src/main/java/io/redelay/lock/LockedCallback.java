package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * What runs under a lock.
 *
 * @param <T> the type of its result
 * @param <E> the type of what it throws
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockedCallback<T, E extends Throwable> {

	/**
	 * Runs it.
	 * @return the result
	 * @throws E what the caller is to get
	 */
	@Nullable T run() throws E;

}
