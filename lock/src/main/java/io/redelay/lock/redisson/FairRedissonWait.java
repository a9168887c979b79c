package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockHandle;
import io.redelay.scheduling.ScheduledTask;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a fair lock. Redisson keeps a queue of waiters in Redis, in which each place
 * has the same timeout. If a waiter with a shorter wait leaves, Redisson shortens the
 * timeouts of all places behind it by that time, and these lose their places. So Redisson
 * has to wait for exactly that timeout; this class ends the wait by its own clock and
 * then leaves the queue.
 */
final class FairRedissonWait extends RedissonWait {

	private static final long LEAVE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final Duration LEAVE_LIMIT = Duration.ofMinutes(1);

	private final long queueMillis;

	FairRedissonWait(RedissonLockProvider.Attempt attempt, @Nullable Duration waitTime, long queueMillis) {
		super(attempt, waitTime);
		this.queueMillis = queueMillis;
	}

	@Override
	CompletableFuture<@Nullable LockHandle> start() {
		long left = leftMillis();
		CompletableFuture<@Nullable LockHandle> result = super.start();
		if (left > 0 && left < Long.MAX_VALUE) {
			ScheduledTask end = attempt().scheduler().schedule(this::timeOut, TimeUnit.MILLISECONDS.toNanos(left));
			if (end != null) {
				result.whenComplete((handle, ex) -> end.cancel());
			}
		}
		return result;
	}

	@Override
	long sliceMillis(long leftMillis) {
		return (leftMillis > 0) ? this.queueMillis : 0;
	}

	/**
	 * Requests the lock once more without waiting: only an answer shows whether another
	 * holds the lock or Redis cannot be reached.
	 */
	private void timeOut() {
		if (!result().isDone()) {
			stopAsking();
			askFinally();
		}
	}

	/**
	 * The last request has left the queue; one that was still on its way may have joined
	 * it after that.
	 */
	@Override
	void busy() {
		super.busy();
		attempt().scheduler()
			.schedule(() -> attempt().requests().send((again) -> attempt().leaveLine(), LEAVE_LIMIT),
					LEAVE_AGAIN_NANOS);
	}

	/**
	 * Although the last request failed, an earlier one may have joined the queue.
	 */
	@Override
	void failed(Throwable failure) {
		cleanUp();
	}

	/**
	 * Leaves the queue: all waiters behind a dead one would wait for its timeout.
	 */
	@Override
	void cleanUp() {
		attempt().cleanUp((again) -> attempt().leaveLine(), LEAVE_LIMIT);
	}

}
