package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Knows what time it is by the clock of Redis, which it asks once in ten seconds for all
 * callers. While Redis gives no answer it counts on from the last one, or has the time of
 * this JVM if there was none.
 * <p>
 * Safe for use by many threads.
 */
final class RedisClock {

	private static final Duration KEPT = Duration.ofSeconds(10);

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
	}

	Instant now() {
		long begun = this.clock.nanoTime();
		if (this.last == null || begun - this.askAgainNanos >= 0) {
			// Other callers go on with the last answer meanwhile.
			this.askAgainNanos = begun + KEPT.toNanos();
			ask(begun);
		}
		Answer known = this.last;
		return (known != null) ? known.time().plusNanos(this.clock.nanoTime() - known.nanos()) : Instant.now();
	}

	private void ask(long begun) {
		try {
			Instant time = StoreCalls.await(this.redis.get());
			long trip = this.clock.nanoTime() - begun;
			this.last = new Answer(time, begun + trip / 2);
		}
		catch (QueueBackendException ex) {
			// The time is that of the last answer, and what has passed since.
		}
	}

	/**
	 * What time it was.
	 *
	 * @param time by the clock of Redis
	 * @param nanos by that of this JVM
	 */
	private record Answer(Instant time, long nanos) {

	}

}
