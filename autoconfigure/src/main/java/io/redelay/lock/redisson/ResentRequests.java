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
 * Sends requests to Redis that may arrive twice, and sends each again while it has no
 * answer. One timer looks after all of them, and only while there are any, so that a
 * request that is answered at once costs none.
 */
final class ResentRequests {

	private static final long TICK_MILLIS = 500;

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);

	private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

	private final Set<Pending<?>> pending = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean ticking = new AtomicBoolean();

	/**
	 * Sends a request.
	 * @param request sends it, however often
	 * @param limit how long to go on without an answer
	 * @return the first answer; an error that Redis answers with is one
	 */
	<T> CompletableFuture<T> send(Request<T> request, Duration limit) {
		Pending<T> sent = new Pending<>(request, limit);
		this.pending.add(sent);
		sent.result.whenComplete((answer, failure) -> this.pending.remove(sent));
		sent.send();
		tickLater();
		return sent.result;
	}

	/**
	 * How many requests have no answer yet.
	 */
	int count() {
		return this.pending.size();
	}

	private void tickLater() {
		if (!this.pending.isEmpty() && this.ticking.compareAndSet(false, true)) {
			CompletableFuture.delayedExecutor(TICK_MILLIS, TimeUnit.MILLISECONDS, Runnable::run).execute(this::tick);
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
	 * Whether Redis may have done what has this failure.
	 */
	static boolean mayHaveArrived(Throwable failure) {
		return !isAnswer(failure) && !(failure instanceof RedisRetryException)
				&& !(failure instanceof RedisRedirectException) && !(failure instanceof RedisNodeNotFoundException)
				&& failure.getClass() != RedisTimeoutException.class
				&& failure.getClass() != RedisConnectionException.class;
	}

	/**
	 * Whether a failure stays the same however often the request is sent.
	 */
	private static boolean isAnswer(Throwable failure) {
		return failure.getClass() == RedisException.class || failure instanceof RedisOutOfMemoryException
				|| failure instanceof RedissonShutdownException || failure instanceof LockException;
	}

	/**
	 * What lies under the wrappings of futures and of Redisson, whose plainest exception
	 * without a cause is an error that Redis answered with.
	 */
	static Throwable causeOf(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null
				&& (cause instanceof CompletionException || cause.getClass() == RedisException.class)) {
			cause = cause.getCause();
		}
		return cause;
	}

	/**
	 * What is sent.
	 *
	 * @param <T> the type of its answer
	 */
	@FunctionalInterface
	interface Request<T> {

		/**
		 * Sends it.
		 * @param again whether it was sent before and may have arrived
		 */
		CompletionStage<T> send(boolean again);

	}

	/**
	 * A request without an answer.
	 */
	private static final class Pending<T> {

		private final Request<T> request;

		private final CompletableFuture<T> result = new CompletableFuture<>();

		private final long deadline;

		private long next = System.nanoTime() + FIRST_PAUSE_NANOS;

		private long pause = FIRST_PAUSE_NANOS;

		/**
		 * How many were sent and have neither an answer nor failed.
		 */
		private int open;

		/**
		 * How many failed and may have arrived.
		 */
		private int lost;

		private @Nullable Throwable failure;

		Pending(Request<T> request, Duration limit) {
			this.request = request;
			this.deadline = System.nanoTime() + limit.toNanos();
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

		private void tick() {
			Throwable given = null;
			synchronized (this) {
				long now = System.nanoTime();
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
