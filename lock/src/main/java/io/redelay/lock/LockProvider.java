package io.redelay.lock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Acquires locks. A bean of this type is named by {@link MyLock#lockProvider()}.
 * <p>
 * A lock that a thread holds already is entered again without a call of the provider.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockProvider {

	/**
	 * Requests a lock, without blocking. If the future is cancelled, the caller does not
	 * want the lock any more: a provider that gets it nevertheless must release it.
	 * @param request the request
	 * @return the lock; {@code null} if another held it until the wait time was over;
	 * completed exceptionally if it could not be requested
	 */
	CompletableFuture<@Nullable LockHandle> acquire(LockRequest request);

	/**
	 * Looks up the holders of a lock for {@link LockAdmin}, without blocking. To be
	 * implemented by a provider that does not keep its locks in the application's Redis
	 * as Redisson does.
	 * @param key the key of the lock
	 * @return the holds, none if the lock is free; completed exceptionally if they cannot
	 * be looked up. {@code null}, the default, if the key is to be read as a Redisson
	 * lock
	 */
	default @Nullable CompletionStage<List<StoredHold>> holds(String key) {
		return null;
	}

}
