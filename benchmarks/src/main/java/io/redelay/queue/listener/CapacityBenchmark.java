package io.redelay.queue.listener;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long it takes to reserve room for a message in a container and to give it back,
 * with one thread and with two that do it at the same time. There is always room.
 * <p>
 * In the package of what it measures, of which nothing is public.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CapacityBenchmark {

	private static final int CONCURRENCY = 8;

	private final OfflineContainer container = new OfflineContainer(CONCURRENCY);

	private final Capacity capacity = this.container.capacity();

	/**
	 * Has handlers that are fast, so that messages are held beyond them.
	 */
	@Setup
	public void setUp() {
		this.capacity.handled(TimeUnit.MICROSECONDS.toNanos(10));
	}

	/**
	 * Reserves and releases alone.
	 * @param claimant who does it
	 * @return for how many messages there was room
	 */
	@Benchmark
	@Threads(1)
	public int oneThread(Claimant claimant) {
		return reserveAndRelease(claimant);
	}

	/**
	 * Reserves and releases beside another thread.
	 * @param claimant who does it
	 * @return for how many messages there was room
	 */
	@Benchmark
	@Threads(2)
	public int twoThreads(Claimant claimant) {
		return reserveAndRelease(claimant);
	}

	private int reserveAndRelease(Claimant claimant) {
		int room = this.capacity.reserve(claimant.loop(), 1);
		this.capacity.release(room);
		return room;
	}

	/**
	 * A loop of the container.
	 */
	@State(Scope.Thread)
	public static class Claimant {

		private @Nullable PollLoop loop;

		/**
		 * Makes the loop.
		 * @param benchmark whose container it is of
		 */
		@Setup
		public void setUp(CapacityBenchmark benchmark) {
			this.loop = benchmark.container.loop();
		}

		private PollLoop loop() {
			if (this.loop == null) {
				throw new IllegalStateException("There is no loop yet");
			}
			return this.loop;
		}

	}

}
