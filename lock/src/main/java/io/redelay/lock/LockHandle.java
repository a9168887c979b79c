package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is held. Any thread may release it.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockHandle {

	/**
	 * Releases the lock, without blocking. Called once: an implementation whose request
	 * may get lost has to send it again by itself.
	 * @return {@code true} if it was held until now; {@code false} if it had been lost,
	 * and then a lock of another holder is not touched; completed exceptionally if that
	 * is not known
	 */
	CompletionStage<Boolean> release();

	/**
	 * Returns whether the lock is still held, without blocking and without changing it.
	 * Called before the protected code has ended if {@link MyLock#onLeaseLost()
	 * onLeaseLost = THROW} has to know.
	 * @return whether it is held; {@code true}, the default, if this kind of lock cannot
	 * find out; completed exceptionally if that is not known
	 */
	default CompletionStage<Boolean> isHeld() {
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Keeps the lock for a time and releases it then, without blocking. Called once, and
	 * instead of {@link #release()}. The default uses a timer of this JVM, so the lock
	 * stays for its lease if the JVM dies meanwhile.
	 * @param time how long
	 * @return whether it was held until now; completed exceptionally if that is not known
	 */
	default CompletionStage<Boolean> releaseAfter(Duration time) {
		CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(this::release);
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Returns the fencing token: a number that is higher than those of all former
	 * holders. A resource can use it to refuse a holder that lost its lock without
	 * noticing.
	 * @return the fencing token, or {@code null} if this kind of lock has none
	 */
	default @Nullable Long token() {
		return null;
	}

}
