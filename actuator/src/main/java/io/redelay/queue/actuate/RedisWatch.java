package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.redelay.guard.ServerFitness;
import org.jspecify.annotations.Nullable;

/**
 * Examines Redis for all who ask: one thread at a time, once in an interval, and no
 * caller waits for longer than two seconds.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RedisWatch {

	static final Duration PATIENCE = Duration.ofSeconds(2);

	private final Supplier<List<ServerFitness>> examination;

	private final Duration interval;

	private final Executor executor;

	private final LongSupplier nanoTime;

	private @Nullable CompletableFuture<List<ServerFitness>> asked;

	private long askedNanos;

	/**
	 * Creates a watch.
	 * @param examination examines Redis; may block
	 * @param interval for how long an answer is reused
	 * @param executor runs the examination
	 * @param nanoTime the clock
	 */
	public RedisWatch(Supplier<List<ServerFitness>> examination, Duration interval, Executor executor,
			LongSupplier nanoTime) {
		this.examination = examination;
		this.interval = interval;
		this.executor = executor;
		this.nanoTime = nanoTime;
	}

	/**
	 * The servers, as they were within the interval.
	 * @throws TimeoutException if Redis has not answered within two seconds
	 * @throws ExecutionException if Redis cannot be asked
	 */
	List<ServerFitness> servers() throws InterruptedException, ExecutionException, TimeoutException {
		return ask().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * One request is under way at a time, and is not made again while the last answer is
	 * fresh.
	 */
	private synchronized CompletableFuture<List<ServerFitness>> ask() {
		long now = this.nanoTime.getAsLong();
		CompletableFuture<List<ServerFitness>> present = this.asked;
		if (present != null && (!present.isDone() || now - this.askedNanos < this.interval.toNanos())) {
			return present;
		}
		CompletableFuture<List<ServerFitness>> fresh = CompletableFuture.supplyAsync(this.examination, this.executor);
		this.asked = fresh;
		this.askedNanos = now;
		return fresh;
	}

}
