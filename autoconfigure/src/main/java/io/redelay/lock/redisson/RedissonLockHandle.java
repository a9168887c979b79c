package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.lock.LockException;
import io.redelay.lock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * A lock of Redisson that is held.
 */
final class RedissonLockHandle implements LockHandle {

	private final RedissonLockProvider.Attempt attempt;

	private final @Nullable Long token;

	private final long since = System.nanoTime();

	RedissonLockHandle(RedissonLockProvider.Attempt attempt, @Nullable Long token) {
		this.attempt = attempt;
		this.token = token;
	}

	/**
	 * Releases the lock, and does so again while there is no answer.
	 */
	@Override
	public CompletionStage<Boolean> release() {
		return this.attempt.requests()
			.send(this.attempt.isFair() ? releaseFair() : releaseOther(), this.attempt.cleanUpLimit());
	}

	/**
	 * Redisson answers the release of a fair lock that is gone as if it had been held, so
	 * it is looked at before.
	 */
	private ResentRequests.Request<Boolean> releaseFair() {
		AtomicBoolean held = new AtomicBoolean();
		return (again) -> isHeld().thenCompose((now) -> {
			held.compareAndSet(false, now);
			return this.attempt.unlock();
		}).thenApply((unlocked) -> held.get());
	}

	/**
	 * If the answer to a release is lost, the next one finds that the lock is free; then
	 * only its lease tells whether it was held until now.
	 */
	private ResentRequests.Request<Boolean> releaseOther() {
		boolean inLease = System.nanoTime() - this.since < this.attempt.lease().toNanos();
		return (again) -> this.attempt.unlock().thenApply((unlocked) -> {
			if (!unlocked && again && !inLease) {
				throw new LockException("The lock is free, but whether it was held until its release is not known:"
						+ " the answer to that was lost");
			}
			return unlocked || again;
		});
	}

	/**
	 * Leaves the lock to its time to live. A read lock, of which each holder has a time
	 * of its own, is released by a timer.
	 */
	@Override
	public CompletionStage<Boolean> releaseAfter(Duration time) {
		return this.attempt.isRead() ? LockHandle.super.releaseAfter(time)
				: this.attempt.requests().send((again) -> this.attempt.holdOn(time), this.attempt.cleanUpLimit());
	}

	@Override
	public CompletionStage<Boolean> isHeld() {
		return this.attempt.isHeld();
	}

	@Override
	public @Nullable Long token() {
		return this.token;
	}

}
