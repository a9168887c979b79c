package io.redelay.queue.request;

import java.time.Duration;

/**
 * Decides whether a request leaves at once or lingers for more submissions. A caller that
 * sends in a loop submits again as soon as it is answered. The number expected back is
 * the smaller of the submissions pending at the last answer and at the one before. A
 * request lingers until all of these are there, or a third of them if two requests may be
 * on the wire. It lingers for a millisecond after the last answer at most. After a wait
 * without a submission, the next {@value #ANSWERS_WITHOUT} requests do not linger. The
 * same goes for a wait of few for longer than {@value #TRIPS_OF_FEW} requests take: a
 * fast loop must not wait for a slow one each time.
 * <p>
 * The idea is that of the {@code linger.ms} of Kafka's producer, but a caller that sends
 * alone never waits. Guarded by the lock of the batcher.
 */
final class Linger {

	private static final long LONGEST_NANOS = Duration.ofMillis(1).toNanos();

	/**
	 * From how many submissions on a request lingers.
	 */
	private static final int COMPANY = 2;

	/**
	 * From how many submissions on a long wait pays.
	 */
	private static final int COMPANY_FOR_LONG = 4;

	/**
	 * From how many submissions on two requests at a time are faster than a large one.
	 */
	private static final int COMPANY_FOR_TWO = 8;

	/**
	 * For how many trips of a request few wait for each other, if they are to do so
	 * again.
	 */
	private static final int TRIPS_OF_FEW = 4;

	private static final int ANSWERS_WITHOUT = 100;

	private int last;

	private int expected;

	private long untilNanos;

	private long paysUntilNanos;

	private int without;

	/**
	 * Records an answer.
	 * @param together how many submissions were on their way or waiting at the answer
	 * @param now the present time, ns
	 * @param took how long the request was on the wire, ns
	 */
	void answered(int together, long now, long took) {
		int returning = Math.min(this.last, together);
		this.expected = (returning >= COMPANY && this.without == 0) ? returning : 0;
		this.last = together;
		this.without = Math.max(0, this.without - 1);
		this.untilNanos = now + LONGEST_NANOS;
		this.paysUntilNanos = now + TRIPS_OF_FEW * took;
	}

	/**
	 * Returns whether enough submissions are expected for two requests at a time.
	 */
	boolean isForTwo() {
		return this.expected >= COMPANY_FOR_TWO;
	}

	/**
	 * Returns how much longer to wait.
	 * @param waiting how many wait, at least one
	 * @param two whether two requests may be on their way
	 * @param now the present time, ns
	 * @return ns, or 0 not to wait
	 */
	long rest(int waiting, boolean two, long now) {
		int enough = two ? (this.expected + 2) / 3 : this.expected;
		long rest = (waiting < enough) ? this.untilNanos - now : 0;
		if (rest > 0) {
			return rest;
		}
		boolean late = enough > 0 && this.expected < COMPANY_FOR_LONG && now - this.paysUntilNanos > 0;
		if (waiting < enough || late) {
			this.expected = 0;
			this.without = ANSWERS_WITHOUT;
		}
		return 0;
	}

}
