package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.StoreException;
import io.redelay.redisson.RequestFailures;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisException;
import org.redisson.client.RedisResponseTimeoutException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Sends a request again, unchanged, unless the failure is known to be certain: Redis
 * refused the request, or the client is closed.
 * <p>
 * The client itself is configured not to repeat anything: only the code that numbers the
 * requests may send one twice.
 */
final class Resender implements AutoCloseable {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private final Scheduler scheduler;

	private final Duration limit;

	private final ReplyWatchdog watchdog;

	private final RedisAvailability availability;

	/**
	 * The requests that wait to be sent again.
	 */
	private final Set<Request<?>> pausing = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates a sender.
	 * @param scheduler the clock and the timer
	 * @param limit how long to repeat a request
	 * @param attemptLimit after what time the client has forgotten a request that it has
	 * neither answered nor failed; it is repeated then
	 * @param availability notified of answers and failures
	 */
	Resender(Scheduler scheduler, Duration limit, Duration attemptLimit, RedisAvailability availability) {
		this.scheduler = scheduler;
		this.limit = limit;
		this.availability = availability;
		this.watchdog = new ReplyWatchdog(attemptLimit, availability::silent, Scheduler.unclosed(Runnable::run));
	}

	/**
	 * Returns the time of its clock.
	 */
	long nanoTime() {
		return this.scheduler.nanoTime();
	}

	/**
	 * Sends a request that begins now.
	 */
	<T> CompletableFuture<T> send(String what, List<Object> keys, boolean once, Duration wait,
			Supplier<? extends CompletionStage<T>> attempt) {
		return send(nanoTime(), what, keys, once, wait, attempt);
	}

	/**
	 * Sends a request.
	 * @param begunNanos when it began; it is repeated for a while from then on
	 * @param keys the keys that it names, or none if it does not matter which node has
	 * them
	 * @param once whether it changes nothing, and must not be sent again when it was
	 * written and no answer came in time
	 * @param wait how much later than to others Redis may answer
	 */
	<T> CompletableFuture<T> send(long begunNanos, String what, List<Object> keys, boolean once, Duration wait,
			Supplier<? extends CompletionStage<T>> attempt) {
		Request<T> request = new Request<>(begunNanos, what, keys, once, wait, attempt);
		request.attempt();
		return request.result;
	}

	/**
	 * Stops resending. A request that waits to be sent again fails at once; a request on
	 * its way fails when its attempt has failed.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.pausing.forEach(Request::abandon);
	}

	private final class Request<T> {

		private final CompletableFuture<T> result = new CompletableFuture<>();

		private final long start;

		private final String what;

		private final List<Object> keys;

		private final boolean once;

		private final Duration wait;

		private final Supplier<? extends CompletionStage<T>> attempt;

		private Duration pause = FIRST_PAUSE;

		private volatile boolean uncertain;

		private volatile @Nullable Throwable lastFailure;

		Request(long start, String what, List<Object> keys, boolean once, Duration wait,
				Supplier<? extends CompletionStage<T>> attempt) {
			this.start = start;
			this.what = what;
			this.keys = keys;
			this.once = once;
			this.wait = wait;
			this.attempt = attempt;
		}

		void attempt() {
			long now = Resender.this.scheduler.nanoTime();
			CompletionStage<T> reply;
			try {
				reply = this.attempt.get();
			}
			catch (Throwable ex) {
				// On the timer's thread it would be lost, and the caller would wait for
				// ever.
				failed(ex, now);
				return;
			}
			Resender.this.watchdog.limit(reply.toCompletableFuture(), this.wait.toNanos())
				.whenComplete((value, failure) -> {
					if (failure == null) {
						Resender.this.availability.answered(this.keys);
						this.result.complete(value);
					}
					else {
						failed(failure, now);
					}
				});
		}

		private void failed(Throwable thrown, long attemptNanos) {
			Throwable failure = StoreException.cause(thrown);
			this.uncertain |= !RedisFailures.isCertain(failure);
			if (RedisFailures.isPassing(failure)) {
				Resender.this.availability.failed(failure, attemptNanos, this.keys);
			}
			else if (RedisFailures.isRefusal(failure)) {
				Resender.this.availability.answered(this.keys);
			}
			boolean late = Resender.this.scheduler.nanoTime() - this.start + this.pause.toNanos() > Resender.this.limit
				.toNanos();
			if (this.once && failure instanceof RedisResponseTimeoutException) {
				this.result.completeExceptionally(new StoreException(this.what
						+ ": Redis gave no answer in time. Nothing was changed; Redis is busy, or is asked for too much",
						RequestFailures.withoutParameters(failure)));
				return;
			}
			if (!RedisFailures.isPassing(failure) || late) {
				giveUp(failure);
				return;
			}
			this.lastFailure = failure;
			Resender.this.pausing.add(this);
			if (Resender.this.scheduler.schedule(this::attemptAgain, this.pause) == null) {
				abandon();
				return;
			}
			Duration doubled = this.pause.multipliedBy(2);
			this.pause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
			if (Resender.this.closed) {
				// The call of close() may not have seen this request.
				abandon();
			}
		}

		private void attemptAgain() {
			if (Resender.this.pausing.remove(this)) {
				attempt();
			}
		}

		/**
		 * Fails the request if it waits to be sent again: the application is closing.
		 */
		void abandon() {
			if (Resender.this.pausing.remove(this)) {
				giveUp(this.lastFailure);
			}
		}

		private void giveUp(@Nullable Throwable thrown) {
			Throwable failure = (thrown != null) ? RequestFailures.withoutParameters(thrown) : null;
			this.result.completeExceptionally(this.uncertain
					? new OutcomeUnknownException(
							this.what + ": it is unknown whether Redis did it, for no answer came" + closing(), failure)
					: new StoreException(this.what + ": Redis did not do it" + reason(failure) + closing(), failure,
							failure != null && RedisFailures.isPassing(failure)));
		}

		private String closing() {
			return Resender.this.closed ? "; it is not sent again, for the application is closing" : "";
		}

		private static String reason(@Nullable Throwable failure) {
			return (failure instanceof RedisException || failure instanceof StoreException)
					? " (" + NestedExceptionUtils.getMostSpecificCause(failure).getMessage() + ")" : "";
		}

	}

}
