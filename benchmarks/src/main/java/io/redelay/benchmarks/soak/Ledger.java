package io.redelay.benchmarks.soak;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Remembers which messages have been handled, a bit for each, in memory that is taken
 * before the first one.
 */
final class Ledger {

	private final int capacity;

	private final AtomicIntegerArray bits;

	private final LongAdder handled = new LongAdder();

	private final LongAdder repeated = new LongAdder();

	Ledger(int capacity) {
		this.capacity = capacity;
		this.bits = new AtomicIntegerArray(capacity / Integer.SIZE + 1);
	}

	int capacity() {
		return this.capacity;
	}

	void handled(int number) {
		int bit = 1 << (number % Integer.SIZE);
		int before = this.bits.getAndAccumulate(number / Integer.SIZE, bit, (present, added) -> present | added);
		(((before & bit) == 0) ? this.handled : this.repeated).increment();
	}

	/**
	 * How many different messages have been handled.
	 */
	long handled() {
		return this.handled.sum();
	}

	/**
	 * How often one came that had been handled before.
	 */
	long repeated() {
		return this.repeated.sum();
	}

	/**
	 * How many of the first messages have not been handled.
	 */
	int missing(int sent) {
		int missing = 0;
		for (int number = 0; number < sent; number++) {
			missing += 1 - (this.bits.get(number / Integer.SIZE) >>> (number % Integer.SIZE) & 1);
		}
		return missing;
	}

}
