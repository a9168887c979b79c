package io.redelay.queue.store;

import java.time.Duration;

/**
 * Whether what waits to be sent waits a moment longer, so that more goes together. Those
 * who send again as soon as they are answered come back together: so many are expected
 * after an answer as were on their way, or waiting, when it came and when the one before
 * it came. They are waited for until all are there, and a millisecond at most; after that
 * was in vain, nobody waits for some time.
 * <p>
 * The idea is that of the {@code linger.ms} of Kafka's producer, but here nobody waits
 * who sends alone. Guarded by the lane's lock.
 */
final class Linger {

	private static final long LONGEST_NANOS = Duration.ofMillis(1).toNanos();

	/**
	 * From how many on it is worth it.
	 */
	private static final int COMPANY = 4;

	private static final int ANSWERS_WITHOUT = 100;

	private int last;

	private int expected;

	private long untilNanos;

	private int without;

	/**
	 * Takes note of an answer.
	 * @param together how many were on their way or waiting when it came
	 * @param now the present time, ns
	 */
	void answered(int together, long now) {
		int returning = Math.min(this.last, together);
		this.expected = (returning >= COMPANY && this.without == 0) ? returning : 0;
		this.last = together;
		this.without = Math.max(0, this.without - 1);
		this.untilNanos = now + LONGEST_NANOS;
	}

	/**
	 * How long to wait still.
	 * @param waiting how many wait, at least one
	 * @param now the present time, ns
	 * @return ns, or 0 not to wait
	 */
	long rest(int waiting, long now) {
		if (waiting >= this.expected) {
			return 0;
		}
		long rest = this.untilNanos - now;
		if (rest > 0) {
			return rest;
		}
		this.expected = 0;
		this.without = ANSWERS_WITHOUT;
		return 0;
	}

}
