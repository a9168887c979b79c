package io.redelay.queue.store;

import java.time.Duration;

/**
 * Whether what waits to be sent waits a moment longer, so that more goes together. Those
 * who send again as soon as they are answered come back: so many are expected as were on
 * their way, or waiting, when an answer came and when the one before it came. They are
 * waited for until all are there, or a third of them if two requests are on their way at
 * a time; and until a millisecond after the last answer at most. After that was in vain,
 * nobody waits for some time.
 * <p>
 * The idea is that of the {@code linger.ms} of Kafka's producer, but here nobody waits
 * who sends alone. Guarded by the lock of what waits.
 */
final class Linger {

	private static final long LONGEST_NANOS = Duration.ofMillis(1).toNanos();

	/**
	 * From how many on it is worth it.
	 */
	private static final int COMPANY = 4;

	/**
	 * From how many on two requests at a time are worth more than a large one.
	 */
	private static final int COMPANY_FOR_TWO = 8;

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
	 * Whether so many are expected that they may as well go in two requests at a time.
	 */
	boolean isForTwo() {
		return this.expected >= COMPANY_FOR_TWO;
	}

	/**
	 * How long to wait still.
	 * @param waiting how many wait, at least one
	 * @param two whether two requests may be on their way
	 * @param now the present time, ns
	 * @return ns, or 0 not to wait
	 */
	long rest(int waiting, boolean two, long now) {
		int enough = two ? (this.expected + 2) / 3 : this.expected;
		if (waiting >= enough) {
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
