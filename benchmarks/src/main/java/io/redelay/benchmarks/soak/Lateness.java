package io.redelay.benchmarks.soak;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts how late messages were, in classes of which each is 5 % wider than the one
 * before, so that it takes the same memory however many there were.
 */
final class Lateness {

	private static final int CLASSES_PER_E = 20;

	private static final int CLASSES = 500;

	private final AtomicLongArray counts = new AtomicLongArray(CLASSES);

	void add(long micros) {
		int position = (int) (Math.log1p((double) Math.max(0, micros)) * CLASSES_PER_E);
		this.counts.incrementAndGet(Math.min(CLASSES - 1, position));
	}

	/**
	 * Returns how late 99 of 100 messages were at most, in milliseconds, and counts anew.
	 */
	double takeP99() {
		long[] taken = new long[CLASSES];
		long all = 0;
		for (int i = 0; i < CLASSES; i++) {
			taken[i] = this.counts.getAndSet(i, 0);
			all += taken[i];
		}
		long above = all / 100;
		int position = CLASSES - 1;
		for (long seen = taken[position]; seen <= above && position > 0; seen += taken[position]) {
			position--;
		}
		return Math.expm1((position + 1.0) / CLASSES_PER_E) / 1e3;
	}

}
