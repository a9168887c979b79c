package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A handler that takes some time without computing. It counts the loud messages, and
 * takes note of the waits of the quiet ones.
 */
final class Work {

	private final long nanos;

	private final LongAdder loud = new LongAdder();

	private volatile Waits waits;

	Work(Duration duration, Waits waits) {
		this.nanos = duration.toNanos();
		this.waits = waits;
	}

	/**
	 * Has the waits from now on noted elsewhere.
	 */
	void waits(Waits others) {
		this.waits = others;
	}

	long loud() {
		return this.loud.sum();
	}

	void handle(Parcel parcel) {
		if (parcel.loud()) {
			this.loud.increment();
		}
		else {
			this.waits.add(parcel);
		}
		long end = System.nanoTime() + this.nanos;
		for (long rest = this.nanos; rest > 0; rest = end - System.nanoTime()) {
			LockSupport.parkNanos(rest);
		}
	}

}
