package io.redelay.scheduling;

import java.util.Arrays;

/**
 * How often something happened in the last minute, and how much of something that was
 * altogether, to five seconds.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RecentCount {

	private static final long STEP_NANOS = 5_000_000_000L;

	private static final int STEPS = 12;

	private final Scheduler clock;

	private final long[] counts = new long[STEPS];

	private final long[] amounts = new long[STEPS];

	private final long origin;

	private long step;

	/**
	 * Begins to count.
	 * @param clock the time
	 */
	public RecentCount(Scheduler clock) {
		this.clock = clock;
		this.origin = clock.nanoTime();
	}

	/**
	 * Counts.
	 * @param number how often it happened
	 */
	public void add(long number) {
		add(number, 0);
	}

	/**
	 * Counts.
	 * @param number how often it happened
	 * @param amount how much that was
	 * @return whether some seconds have passed since something else happened
	 */
	public synchronized boolean add(long number, long amount) {
		long before = this.step;
		goOn();
		int place = Math.floorMod(this.step, STEPS);
		this.counts[place] += number;
		this.amounts[place] += amount;
		return this.step > before;
	}

	/**
	 * Adds up how often it happened in the last minute.
	 * @return how often
	 */
	public synchronized long count() {
		goOn();
		return Arrays.stream(this.counts).sum();
	}

	/**
	 * Adds up how much it was in the last minute.
	 * @return how much
	 */
	public synchronized long amount() {
		goOn();
		return Arrays.stream(this.amounts).sum();
	}

	/**
	 * How much it was each time in the last minute.
	 * @return the mean, 0 if it did not happen
	 */
	public synchronized long mean() {
		long count = count();
		return (count > 0) ? amount() / count : 0;
	}

	private void goOn() {
		long now = (this.clock.nanoTime() - this.origin) / STEP_NANOS;
		for (int i = 0; i < STEPS && this.step < now; i++) {
			this.step++;
			this.counts[Math.floorMod(this.step, STEPS)] = 0;
			this.amounts[Math.floorMod(this.step, STEPS)] = 0;
		}
		this.step = Math.max(this.step, now);
	}

}
