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
 * Requests a lock until it is granted or the wait is over. Redisson waits for the message
 * that announces a free lock, and gives up without another request if no subscription is
 * free for that. So it has to wait for slices of the time, one after the other.
 */
class RedissonWait {

	/**
	 * How late a lock may be granted to a waiter without a subscription.
	 */
	private static final long SLICE_MILLIS = 1000;

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final List<String> WANT_OF_SUBSCRIPTION = List.of("Unable to acquire subscription lock",
			"Unable to acquire connection for subscription", "Subscription response timeout");

	private final RedissonLockProvider.Attempt attempt;

	/**
	 * The end of the wait, or {@code null} if there is none.
	 */
	private final @Nullable Long deadline;

	private final Result result = new Result();

	private volatile @Nullable RFuture<?> asking;

	/**
	 * Whether the lock may be acquired more than once: a request was sent while the
	 * answer to another had not come, or Redisson sent one twice.
	 */
	private volatile boolean repeated;

	RedissonWait(RedissonLockProvider.Attempt attempt, @Nullable Duration waitTime) {
		this.attempt = attempt;
		this.deadline = (waitTime != null) ? attempt.scheduler().nanoTime() + nanos(waitTime) : null;
	}

	/**
	 * Returns nanoseconds that can be added to a time without overflow.
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
	 * How long Redisson has to wait at most.
	 * @param leftMillis how long is left, {@link Long#MAX_VALUE} if there is no end
	 */
	long sliceMillis(long leftMillis) {
		return Math.min(leftMillis, SLICE_MILLIS);
	}

	/**
	 * Cleans up after requests whose answers are not known.
	 */
	void cleanUp() {
		this.attempt.giveBack();
	}

	long leftMillis() {
		return (this.deadline != null) ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(this.deadline - now()))
				: Long.MAX_VALUE;
	}

	private long now() {
		return this.attempt.scheduler().nanoTime();
	}

	private void ask() {
		ask(sliceMillis(leftMillis()));
	}

	/**
	 * Requests the lock for the last time, without waiting.
	 */
	void askFinally() {
		ask(0);
	}

	private void ask(long waitMillis) {
		long begin = now();
		RFuture<?> answer;
		try {
			answer = this.attempt.ask(waitMillis);
		}
		catch (Throwable ex) {
			this.result.completeExceptionally(ResentRequests.causeOf(ex));
			return;
		}
		this.asking = answer;
		if (this.result.isDone()) {
			answer.cancel(true);
		}
		answer.whenComplete((given, ex) -> {
			if (this.attempt.isLate(now() - begin)) {
				this.repeated = true;
			}
			answered(given, (ex != null) ? ResentRequests.causeOf(ex) : null, waitMillis);
		});
	}

	private void answered(@Nullable Object answer, @Nullable Throwable failure, long waitMillis) {
		LockHandle handle = this.attempt.handle(answer, this.repeated);
		if (handle != null) {
			if (!this.result.complete(handle)) {
				handle.release();
			}
		}
		else if (failure instanceof CancellationException || this.result.isDone()) {
			// The code that cancelled the request continues the wait, or has ended it.
			return;
		}
		else if (failure != null && !isForWantOfSubscription(failure)) {
			if (this.result.completeExceptionally(failure)) {
				failed(failure);
			}
		}
		else if (waitMillis == 0) {
			// Only an answer shows that another holds the lock; the end of a slice does
			// not.
			busy();
		}
		else if (failure != null && leftMillis() > 0) {
			this.attempt.scheduler().schedule(this::askOn, PAUSE_NANOS);
		}
		else {
			ask();
		}
	}

	/**
	 * Ends the wait with a failure: there was no answer.
	 */
	void failed(Throwable failure) {
		if (ResentRequests.mayHaveArrived(failure)) {
			cleanUp();
		}
	}

	/**
	 * Ends the wait: it is over, and Redis has just answered that another holds the lock.
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
	 * Returns whether Redisson had no subscription to wait with. The type of its
	 * exception is the same if it has no connection; only the text differs. An unknown
	 * text counts as a failure.
	 */
	private static boolean isForWantOfSubscription(Throwable failure) {
		String message = failure.getMessage();
		return failure instanceof RedisTimeoutException && message != null
				&& WANT_OF_SUBSCRIPTION.stream().anyMatch(message::startsWith);
	}

	/**
	 * Cancels the wait of Redisson.
	 */
	void stopAsking() {
		RFuture<?> answer = this.asking;
		if (answer != null) {
			this.repeated = true;
			answer.cancel(true);
		}
	}

	/**
	 * The result that the caller waits for and may cancel.
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
