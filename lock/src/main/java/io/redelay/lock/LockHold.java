package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held, with the number of calls inside this JVM that hold it. The last
 * one releases it.
 */
final class LockHold {

	private final LockKey key;

	private final boolean reading;

	private final LockHandle handle;

	private final AtomicInteger calls = new AtomicInteger(1);

	private final Scheduler scheduler;

	/**
	 * Until when the lock is held at least, by {@link Scheduler#nanoTime()}.
	 */
	private final AtomicLong until;

	LockHold(LockKey key, boolean reading, LockHandle handle, Scheduler scheduler) {
		this.key = key;
		this.reading = reading;
		this.handle = handle;
		this.scheduler = scheduler;
		this.until = new AtomicLong(scheduler.nanoTime());
	}

	LockKey key() {
		return this.key;
	}

	boolean isReading() {
		return this.reading;
	}

	LockHandle handle() {
		return this.handle;
	}

	/**
	 * Adds a call that holds the lock, unless the last one has just left.
	 * @return whether the lock is still held by this JVM
	 */
	boolean enter() {
		return this.calls.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	/**
	 * Keeps the lock at least until a time, no matter which call leaves last.
	 * @param nanoTime the time, by the monotonic clock
	 */
	void holdUntil(long nanoTime) {
		this.until.accumulateAndGet(nanoTime, (one, other) -> (one - other > 0) ? one : other);
	}

	/**
	 * Removes a call. If other calls go on holding the lock, checks first whether it is
	 * still held, since one of them may release it meanwhile.
	 * @return whether the lock was still held, as far as is known
	 */
	CompletableFuture<Boolean> leaveLooking() {
		return (this.calls.get() > 1) ? isHeld().thenCompose((held) -> leave().thenApply((kept) -> held && kept))
				: leave();
	}

	/**
	 * Returns whether the lock is still held, as far as is known.
	 */
	CompletableFuture<Boolean> isHeld() {
		try {
			return this.handle.isHeld().toCompletableFuture().handle((held, ex) -> !Boolean.FALSE.equals(held));
		}
		catch (Throwable ex) {
			return CompletableFuture.completedFuture(true);
		}
	}

	/**
	 * Removes a call that holds the lock; the last one releases it.
	 * @return whether the lock was still held; {@code true} at once if other calls go on
	 * holding it
	 */
	CompletableFuture<Boolean> leave() {
		if (this.calls.decrementAndGet() > 0) {
			return CompletableFuture.completedFuture(true);
		}
		try {
			return answer(release()).toCompletableFuture().thenApply(this::answer);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<Boolean> release() {
		long left = this.until.get() - this.scheduler.nanoTime();
		return (left > 0) ? this.handle.releaseAfter(Duration.ofNanos(left)) : this.handle.release();
	}

	private <T> T answer(@Nullable T answer) {
		if (answer == null) {
			throw new IllegalStateException("The LockProvider answered null to the release of " + this.key.key()
					+ ". A LockHandle gives a stage that completes with true or false");
		}
		return answer;
	}

}
