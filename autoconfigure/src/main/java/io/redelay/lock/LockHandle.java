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
	 * Releases the lock, without blocking. Called once: an implementation whose release
	 * may get lost on its way sends it again by itself.
	 * @return whether it was held until now; {@code false} if it had been lost, in which
	 * case another's lock is not touched; completed exceptionally if that is not known
	 */
	CompletionStage<Boolean> release();

	/**
	 * Asks whether the lock is still held, without blocking and without changing it.
	 * Asked before the end of what it protects where {@link MyLock#onLeaseLost()
	 * onLeaseLost = THROW} needs to know.
	 * @return whether it is held; {@code true} if this kind of lock cannot tell, which is
	 * what the default does; completed exceptionally if that is not known
	 */
	default CompletionStage<Boolean> isHeld() {
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Holds the lock for a time and releases it then, without blocking. Called once, and
	 * instead of {@link #release()}. Unless a provider does better, it is a timer of this
	 * JVM that releases it.
	 * @param time for how long
	 * @return whether it was held until now; completed exceptionally if that is not known
	 */
	default CompletionStage<Boolean> releaseAfter(Duration time) {
		CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(this::release);
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * A number that is higher than those of all former holders, by which a resource can
	 * refuse one that lost its lock without noticing.
	 * @return the fencing token, or {@code null} if this kind of lock has none
	 */
	default @Nullable Long token() {
		return null;
	}

}
