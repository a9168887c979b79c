package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.redelay.scheduling.AnswerLimit;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Knows what time it is by the clock of Redis, which it asks once in ten seconds for all
 * callers. While Redis gives no answer within a second it counts on from the last one, or
 * has the time of this JVM if there was none.
 * <p>
 * Safe for use by many threads.
 */
final class RedisClock {

	private static final Duration KEPT = Duration.ofSeconds(10);

	/**
	 * How long an answer is waited for. The time in a later one may be that of any moment
	 * since it was asked for: the request may have been repeated.
	 */
	private static final Duration LONGEST_TRIP = Duration.ofSeconds(1);

	private final Supplier<CompletableFuture<Instant>> redis;

	private final Scheduler clock;

	private volatile @Nullable Answer last;

	private volatile long askAgainNanos;

	/**
	 * Creates a clock that has not asked yet.
	 * @param redis asks Redis what time it is
	 * @param clock counts the time between two answers
	 */
	RedisClock(Supplier<CompletableFuture<Instant>> redis, Scheduler clock) {
		this.redis = redis;
		this.clock = clock;
		this.askAgainNanos = clock.nanoTime();
	}

	Instant now() {
		long begun = this.clock.nanoTime();
		if (begun - this.askAgainNanos >= 0) {
			if (this.last != null) {
				// Other callers go on with the last answer meanwhile.
				this.askAgainNanos = begun + KEPT.toNanos();
			}
			ask(begun);
			this.askAgainNanos = this.clock.nanoTime() + ((this.last != null) ? KEPT : LONGEST_TRIP).toNanos();
		}
		Answer known = this.last;
		return (known != null) ? known.time().plusNanos(this.clock.nanoTime() - known.nanos()) : Instant.now();
	}

	private void ask(long begun) {
		try {
			Instant time = AnswerLimit.await(this.redis.get(), LONGEST_TRIP.toNanos());
			long trip = this.clock.nanoTime() - begun;
			if (trip <= LONGEST_TRIP.toNanos()) {
				take(new Answer(time, begun, begun + trip / 2));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// The time is that of the last answer, and what has passed since.
		}
	}

	/**
	 * Takes an answer, unless a later question was answered already.
	 */
	private synchronized void take(Answer answer) {
		Answer known = this.last;
		if (known == null || answer.begun() - known.begun() >= 0) {
			this.last = answer;
		}
	}

	/**
	 * What time it was.
	 *
	 * @param time by the clock of Redis
	 * @param begun when it was asked for, by that of this JVM
	 * @param nanos when it was, by that of this JVM
	 */
	private record Answer(Instant time, long begun, long nanos) {

	}

}
