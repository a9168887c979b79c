package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.lock.LockException;
import io.redelay.lock.LockHandle;
import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonShutdownException;

/**
 * A lock of Redisson that is held.
 */
final class RedissonLockHandle implements LockHandle {

	private final RedissonLockProvider.Attempt attempt;

	private final @Nullable Long token;

	private final boolean repeated;

	private final long since;

	private volatile boolean released;

	private volatile @Nullable ScheduledTask renewal;

	/**
	 * Creates a handle.
	 * @param token the fencing token, if there is one
	 * @param repeated whether the owner may have acquired the lock more than once, and a
	 * request may be on its way yet that acquires it again
	 */
	RedissonLockHandle(RedissonLockProvider.Attempt attempt, @Nullable Long token, boolean repeated) {
		this.attempt = attempt;
		this.token = token;
		this.repeated = repeated;
		this.since = attempt.scheduler().nanoTime();
		if (attempt.renewed()) {
			renewAfter(attempt.lease().minus(attempt.watchdog().dividedBy(3).multipliedBy(2)));
		}
	}

	private void renewAfter(Duration time) {
		this.renewal = this.attempt.scheduler().schedule(this::renew, time);
		if (this.released) {
			endRenewal();
		}
	}

	private void renew() {
		this.attempt.renew().whenComplete((held, failure) -> {
			Duration watchdog = this.attempt.watchdog();
			if (failure != null && !(ResentRequests.causeOf(failure) instanceof RedissonShutdownException)) {
				renewAfter(watchdog.dividedBy(10));
			}
			else if (failure == null && held) {
				renewAfter(watchdog.dividedBy(3));
			}
		});
	}

	private void endRenewal() {
		this.released = true;
		ScheduledTask renewal = this.renewal;
		if (renewal != null) {
			renewal.cancel();
		}
	}

	/**
	 * Releases the lock, and repeats the request until there is an answer.
	 */
	@Override
	public CompletionStage<Boolean> release() {
		endRenewal();
		CompletableFuture<Boolean> released = this.attempt.requests()
			.send(this.attempt.isFair() ? releaseFair() : releaseOther(), this.attempt.cleanUpLimit());
		if (this.repeated) {
			released.whenComplete((held, failure) -> this.attempt.giveBack());
		}
		return released;
	}

	/**
	 * Redisson reports the release of a fair lock that does not exist any more as
	 * successful, so this checks first whether it exists.
	 */
	private ResentRequests.Request<Boolean> releaseFair() {
		AtomicBoolean held = new AtomicBoolean();
		return (again) -> isHeld().thenCompose((now) -> {
			held.compareAndSet(false, now);
			return this.attempt.unlock();
		}).thenApply((unlocked) -> held.get());
	}

	/**
	 * If the answer to a release is lost, the next one finds that the lock is free. Then
	 * only its lease shows whether it was held until now.
	 */
	private ResentRequests.Request<Boolean> releaseOther() {
		boolean inLease = this.attempt.scheduler().nanoTime() - this.since < this.attempt.lease().toNanos();
		AtomicBoolean sentAgain = new AtomicBoolean();
		return (again) -> {
			sentAgain.compareAndSet(false, again);
			return this.attempt.unlock().thenApply((unlocked) -> {
				// The first request may arrive behind the second.
				boolean second = sentAgain.get();
				if (!unlocked && second && !inLease) {
					throw new LockException("The lock is free, but whether it was held until its release is not known:"
							+ " the answer to that was lost");
				}
				return unlocked || second;
			});
		};
	}

	/**
	 * Sets the time to live of the lock and stops renewing it. A read lock, in which each
	 * holder has its own time, is released by a timer.
	 */
	@Override
	public CompletionStage<Boolean> releaseAfter(Duration time) {
		endRenewal();
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
