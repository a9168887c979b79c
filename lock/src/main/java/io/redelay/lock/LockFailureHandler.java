package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * Decides what a call returns or throws when its lock was not acquired. A bean of this
 * type is named by {@link MyLock#failureHandler()}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Returns the result of the call, or throws.
	 * @param failure the call
	 * @return the result, of the method's return type
	 * @throws Throwable the exception that the caller gets
	 */
	@Nullable Object handle(LockFailure failure) throws Throwable;

}
