package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * How long messages waited for their handlers.
 */
final class Waits {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration GLANCE = Duration.ofMillis(1);

	private final AtomicLongArray nanos;

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Creates a record of waits.
	 * @param expected how many messages are expected
	 */
	Waits(int expected) {
		this.nanos = new AtomicLongArray(expected);
	}

	/**
	 * Takes note of a message that is handled now.
	 */
	void add(Parcel parcel) {
		int position = this.count.getAndIncrement();
		if (position < this.nanos.length()) {
			this.nanos.set(position, System.nanoTime() - parcel.nanos());
		}
	}

	/**
	 * Waits until all messages that are expected were handled.
	 */
	void await() {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (this.count.get() < this.nanos.length()) {
			if (System.nanoTime() - end > 0) {
				throw new IllegalStateException(
						"%d of %d messages were handled".formatted(this.count.get(), this.nanos.length()));
			}
			LockSupport.parkNanos(GLANCE.toNanos());
		}
	}

	/**
	 * Returns the longest wait of the shorter ones.
	 * @param percent how many of 100 waits are not longer
	 */
	double millis(int percent) {
		long[] sorted = new long[this.nanos.length()];
		Arrays.setAll(sorted, this.nanos::get);
		Arrays.sort(sorted);
		int position = (int) Math.ceil(sorted.length * percent / 100.0) - 1;
		return sorted[position] / 1e6;
	}

}
