package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Waits for a fair lock. Redisson must be told to wait for exactly the time that its
 * configuration gives to the queue of such a lock: when it takes back a shorter wait, it
 * shortens those of all behind it by that time, and they lose their places. So the wait
 * ends by its own clock, and leaves the queue then.
 */
final class FairRedissonWait extends RedissonWait {

	private static final long LEAVE_AGAIN_MILLIS = 500;

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
			CompletableFuture<@Nullable Void> end = new CompletableFuture<@Nullable Void>().completeOnTimeout(null,
					left, TimeUnit.MILLISECONDS);
			end.thenRun(this::timeOut);
			result.whenComplete((handle, ex) -> end.cancel(false));
		}
		return result;
	}

	@Override
	long sliceMillis(long leftMillis) {
		return (leftMillis > 0) ? this.queueMillis : 0;
	}

	private void timeOut() {
		if (result().complete(null)) {
			stopAsking();
			abandoned();
		}
	}

	/**
	 * Leaves the queue, and leaves it again in case that a request on its way has joined
	 * it after that: a dead waiter would keep all behind it waiting.
	 */
	@Override
	void abandoned() {
		leaveQueue();
		CompletableFuture.delayedExecutor(LEAVE_AGAIN_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
			.execute(this::leaveQueue);
	}

	private void leaveQueue() {
		attempt().ask(0).whenComplete((answer, failure) -> {
			// The lock may have been given, and the answer lost.
			if (failure != null || attempt().handle(answer) != null) {
				attempt().release();
			}
		});
	}

}
