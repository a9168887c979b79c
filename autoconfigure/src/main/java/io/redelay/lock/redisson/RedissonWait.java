package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockHandle;
import io.redelay.lock.LockSpec;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.client.RedisTimeoutException;

/**
 * Asks for a lock until it is there or the wait is over. Redisson waits for a message by
 * which a lock is said to be free, and gives up without asking again if it finds no free
 * subscription for that; so it is told to wait for a part of the time only, again and
 * again.
 */
class RedissonWait {

	/**
	 * How late a lock may be had for which there was no subscription.
	 */
	private static final long SLICE_MILLIS = 1000;

	private static final long PAUSE_MILLIS = 50;

	private static final List<String> WANT_OF_SUBSCRIPTION = List.of("Unable to acquire subscription lock",
			"Unable to acquire connection for subscription", "Subscription response timeout");

	private final RedissonLockProvider.Attempt attempt;

	/**
	 * When the wait is over, or {@code null} if never.
	 */
	private final @Nullable Long deadline;

	private final Result result = new Result();

	private volatile @Nullable RFuture<?> asking;

	RedissonWait(RedissonLockProvider.Attempt attempt, @Nullable Duration waitTime) {
		this.attempt = attempt;
		this.deadline = (waitTime != null) ? System.nanoTime() + nanos(waitTime) : null;
	}

	/**
	 * A number of nanoseconds that can be added to a time.
	 */
	private static long nanos(Duration time) {
		return (time.compareTo(LockSpec.MAX_LEASE) < 0) ? time.toNanos() : LockSpec.MAX_LEASE.toNanos();
	}

	CompletableFuture<@Nullable LockHandle> start() {
		ask();
		return this.result;
	}

	RedissonLockProvider.Attempt attempt() {
		return this.attempt;
	}

	CompletableFuture<@Nullable LockHandle> result() {
		return this.result;
	}

	/**
	 * How long Redisson is told to wait.
	 * @param leftMillis how long is left, {@link Long#MAX_VALUE} if there is no end
	 */
	long sliceMillis(long leftMillis) {
		return Math.min(leftMillis, SLICE_MILLIS);
	}

	/**
	 * Undoes what may come of a question that has no answer any more.
	 */
	void cleanUp() {
		this.attempt.giveBack();
	}

	long leftMillis() {
		return (this.deadline != null) ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime()))
				: Long.MAX_VALUE;
	}

	private void ask() {
		ask(sliceMillis(leftMillis()));
	}

	/**
	 * Asks without waiting, for the last time.
	 */
	void askFinally() {
		ask(0);
	}

	private void ask(long waitMillis) {
		RFuture<?> answer;
		try {
			answer = this.attempt.ask(waitMillis);
		}
		catch (Throwable ex) {
			this.result.completeExceptionally(ex);
			return;
		}
		this.asking = answer;
		if (this.result.isDone()) {
			answer.cancel(true);
		}
		answer
			.whenComplete((given, ex) -> answered(given, (ex != null) ? ResentRequests.causeOf(ex) : null, waitMillis));
	}

	private void answered(@Nullable Object answer, @Nullable Throwable failure, long waitMillis) {
		LockHandle handle = this.attempt.handle(answer);
		if (handle != null) {
			if (!this.result.complete(handle)) {
				handle.release();
			}
		}
		else if (failure instanceof CancellationException || this.result.isDone()) {
			// Whoever cancelled it goes on, or ended it.
			return;
		}
		else if (failure != null && !isForWantOfSubscription(failure)) {
			if (this.result.completeExceptionally(failure)) {
				failed(failure);
			}
		}
		else if (waitMillis == 0) {
			// Only an answer says that another holds the lock, not the end of a wait.
			busy();
		}
		else if (failure != null && leftMillis() > 0) {
			CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, Runnable::run).execute(this::askOn);
		}
		else {
			ask();
		}
	}

	/**
	 * There was no answer.
	 */
	void failed(Throwable failure) {
		if (ResentRequests.mayHaveArrived(failure)) {
			cleanUp();
		}
	}

	/**
	 * Redis has just said that another holds the lock, and the wait is over.
	 */
	void busy() {
		this.result.complete(null);
	}

	private void askOn() {
		if (!this.result.isDone()) {
			ask();
		}
	}

	/**
	 * Whether Redisson had no subscription to wait with. It says so by a type that also
	 * means that there was no connection to ask by, so that only the words tell them
	 * apart; what has other words is told as a failure.
	 */
	private static boolean isForWantOfSubscription(Throwable failure) {
		String message = failure.getMessage();
		return failure instanceof RedisTimeoutException && message != null
				&& WANT_OF_SUBSCRIPTION.stream().anyMatch(message::startsWith);
	}

	/**
	 * Tells Redisson to wait no longer.
	 */
	void stopAsking() {
		RFuture<?> answer = this.asking;
		if (answer != null) {
			answer.cancel(true);
		}
	}

	/**
	 * What is given to the one who waits, and who may cancel it.
	 */
	private final class Result extends CompletableFuture<@Nullable LockHandle> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			if (cancelled) {
				stopAsking();
				cleanUp();
			}
			return cancelled;
		}

	}

}
