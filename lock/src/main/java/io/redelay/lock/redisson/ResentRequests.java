package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.lock.LockException;
import io.redelay.redisson.RequestFailures;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;

/**
 * Sends requests to Redis that may arrive twice, and repeats each until it is answered.
 * One timer serves all of them and runs only while any is pending, so a request that is
 * answered at once costs no timer.
 *
 * @since 0.1.0
 */
public final class ResentRequests {

	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

	private final Set<Pending<?>> pending = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean ticking = new AtomicBoolean();

	private final Scheduler scheduler;

	/**
	 * Creates the sender.
	 * @param scheduler the clock and the timer
	 */
	public ResentRequests(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Sends a request.
	 * @param <T> the type of its answer
	 * @param request sends it, each time it is called
	 * @param limit how long to repeat it without an answer
	 * @return the first answer; an error reply of Redis is an answer
	 */
	public <T> CompletableFuture<T> send(Request<T> request, Duration limit) {
		Pending<T> sent = new Pending<>(request, limit, this.scheduler);
		this.pending.add(sent);
		sent.result.whenComplete((answer, failure) -> this.pending.remove(sent));
		sent.send();
		tickLater();
		return sent.result;
	}

	/**
	 * Repeats all requests without an answer soon, as Redis answers again.
	 */
	public void repeatAll() {
		this.pending.forEach(Pending::hurry);
	}

	/**
	 * Returns the number of requests without an answer.
	 */
	int count() {
		return this.pending.size();
	}

	private void tickLater() {
		if (!this.pending.isEmpty() && this.ticking.compareAndSet(false, true)
				&& this.scheduler.schedule(this::tick, TICK_NANOS) == null) {
			// The next request tries again.
			this.ticking.set(false);
		}
	}

	private void tick() {
		try {
			this.pending.forEach(Pending::tick);
		}
		finally {
			this.ticking.set(false);
			tickLater();
		}
	}

	/**
	 * Returns whether Redis may have executed a request that failed.
	 */
	static boolean mayHaveArrived(Throwable failure) {
		return !isAnswer(failure) && !(failure instanceof RedisRetryException)
				&& !(failure instanceof RedisRedirectException) && !(failure instanceof RedisNodeNotFoundException)
				&& failure.getClass() != RedisTimeoutException.class
				&& failure.getClass() != RedisConnectionException.class;
	}

	/**
	 * Returns whether a failure is an answer that stays the same however often the
	 * request is sent.
	 * @param failure the failure, below its wrappers
	 * @return whether it is an answer
	 */
	public static boolean isAnswer(Throwable failure) {
		return isErrorReply(failure) || failure instanceof RedisOutOfMemoryException
				|| failure instanceof RedissonShutdownException || failure instanceof LockException;
	}

	/**
	 * Returns whether Redis replied with an error that Redisson has no type for. Redisson
	 * gives failures of its own the same type, without the channel in their text.
	 */
	private static boolean isErrorReply(Throwable failure) {
		String message = failure.getMessage();
		return failure.getClass() == RedisException.class && message != null && message.contains(". channel: ");
	}

	/**
	 * Returns the failure below the wrappers of futures and of Redisson, without the
	 * scripts that Redisson quotes.
	 * @param failure the failure
	 * @return the cause
	 */
	public static Throwable causeOf(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null
				&& (cause instanceof CompletionException || cause.getClass() == RedisException.class)) {
			cause = cause.getCause();
		}
		return RequestFailures.withoutParameters(cause);
	}

	/**
	 * A request.
	 *
	 * @param <T> the type of its answer
	 */
	@FunctionalInterface
	public interface Request<T> {

		/**
		 * Sends the request.
		 * @param again whether it was sent before and may have arrived
		 * @return its answer
		 */
		CompletionStage<T> send(boolean again);

	}

	/**
	 * A request without an answer.
	 */
	private static final class Pending<T> {

		private final Request<T> request;

		private final CompletableFuture<T> result = new CompletableFuture<>();

		private final Scheduler scheduler;

		private final long deadline;

		private long next;

		private long pause = TICK_NANOS;

		/**
		 * The number of copies that were sent and have neither been answered nor failed.
		 */
		private int open;

		/**
		 * The number of copies that failed and may have arrived.
		 */
		private int lost;

		private @Nullable Throwable failure;

		Pending(Request<T> request, Duration limit, Scheduler scheduler) {
			this.request = request;
			this.scheduler = scheduler;
			long now = scheduler.nanoTime();
			this.next = now + TICK_NANOS;
			this.deadline = now + limit.toNanos();
		}

		private void send() {
			boolean again;
			synchronized (this) {
				again = this.open + this.lost > 0;
				this.open++;
			}
			CompletionStage<T> answer;
			try {
				answer = this.request.send(again);
			}
			catch (Throwable ex) {
				failed(ex);
				return;
			}
			answer.whenComplete((value, ex) -> {
				if (ex != null) {
					failed(causeOf(ex));
				}
				else {
					this.result.complete(value);
				}
			});
		}

		private void failed(Throwable ex) {
			synchronized (this) {
				this.open--;
				this.failure = ex;
				if (mayHaveArrived(ex)) {
					this.lost++;
				}
			}
			if (isAnswer(ex)) {
				this.result.completeExceptionally(ex);
			}
		}

		private synchronized void hurry() {
			this.next = this.scheduler.nanoTime();
			this.pause = TICK_NANOS;
		}

		private void tick() {
			Throwable given = null;
			synchronized (this) {
				long now = this.scheduler.nanoTime();
				if (now - this.next < 0 || this.result.isDone()) {
					return;
				}
				this.pause = Math.min(2 * this.pause, LAST_PAUSE_NANOS);
				this.next = now + this.pause;
				if (now - this.deadline >= 0) {
					if (this.open > 0) {
						return;
					}
					given = (this.failure != null) ? this.failure : new TimeoutException("Redis did not answer");
				}
			}
			if (given != null) {
				this.result.completeExceptionally(given);
			}
			else {
				send();
			}
		}

	}

}
