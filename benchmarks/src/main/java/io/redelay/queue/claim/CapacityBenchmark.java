package io.redelay.queue.claim;

import java.util.concurrent.TimeUnit;

import io.redelay.queue.handle.OfflineContainer;
import io.redelay.queue.invariant.Invariants;
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

	private static final String QUEUE = "benchmark";

	private static final int CONCURRENCY = 8;

	private final Permits permits = new Permits(new OfflineContainer(CONCURRENCY).settings(), Invariants.LOGGED);

	/**
	 * Has handlers that are fast, so that messages are held beyond them.
	 */
	@Setup
	public void setUp() {
		this.permits.pace().handled(TimeUnit.MICROSECONDS.toNanos(10));
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
		int room = this.permits.reserve(claimant, 1);
		this.permits.release(claimant, room);
		return room;
	}

	/**
	 * A loop of the container.
	 */
	@State(Scope.Thread)
	public static class Claimant implements Permits.Claimant {

		@Override
		public String queue() {
			return QUEUE;
		}

		@Override
		public boolean yields() {
			return false;
		}

		@Override
		public void signal() {
		}

	}

}
