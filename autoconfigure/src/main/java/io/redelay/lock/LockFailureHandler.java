package io.redelay.lock;

import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a call whose lock could not be had. A bean of this type can be
 * named in {@link MyLock#failureHandler()}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFailureHandler {

	/**
	 * Gives what the call returns, or throws.
	 * @param failure the call
	 * @return the result, of the method's type
	 * @throws Throwable what the caller is to get
	 */
	@Nullable Object handle(LockFailure failure) throws Throwable;

}
