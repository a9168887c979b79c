package io.redelay.lock;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Gives locks. A bean of this type can be named in {@link MyLock#lockProvider()}.
 * <p>
 * Re-entry does not reach it: what a thread holds already is counted before.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockProvider {

	/**
	 * Asks for a lock, without blocking. Whoever cancels the future does not want the
	 * lock any more: if it is had all the same, it must be released.
	 * @param request what is asked for
	 * @return the lock; {@code null} if another held it until the wait time was over;
	 * completed exceptionally if it could not be asked for
	 */
	CompletableFuture<@Nullable LockHandle> acquire(LockRequest request);

}
