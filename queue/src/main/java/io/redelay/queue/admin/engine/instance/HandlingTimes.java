package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * How many handlings took how long, in the last half hour at least and the last hour at
 * most. The times are counted in classes, four for each power of two microseconds, so
 * that a time is known to a fifth of it.
 * <p>
 * Safe for use by many threads.
 */
final class HandlingTimes {

	/**
	 * The last class is of those that take longer than twelve days.
	 */
	private static final int CLASSES = 164;

	private static final long TURN_NANOS = TimeUnit.MINUTES.toNanos(30);

	private final Scheduler clock;

	private volatile AtomicIntegerArray present = new AtomicIntegerArray(CLASSES);

	private AtomicIntegerArray before = new AtomicIntegerArray(CLASSES);

	private long since;

	HandlingTimes(Scheduler clock) {
		this.clock = clock;
		this.since = clock.nanoTime();
	}

	/**
	 * Counts a handling. This is on the way of each message, and takes neither a lock nor
	 * the time: {@link #turn()} has to be called now and then.
	 */
	void add(long nanos) {
		this.present.incrementAndGet(classOf(TimeUnit.NANOSECONDS.toMicros(nanos)));
	}

	/**
	 * Returns how many handlings are in each class that has some.
	 */
	synchronized Map<Integer, Integer> counts() {
		turn();
		Map<Integer, Integer> counts = new TreeMap<>();
		for (int each = 0; each < CLASSES; each++) {
			int count = this.present.get(each) + this.before.get(each);
			if (count > 0) {
				counts.put(each, count);
			}
		}
		return counts;
	}

	/**
	 * Forgets what is too long ago.
	 */
	synchronized void turn() {
		long now = this.clock.nanoTime();
		if (now - this.since < TURN_NANOS) {
			return;
		}
		boolean isNext = now - this.since < 2 * TURN_NANOS;
		this.before = isNext ? this.present : new AtomicIntegerArray(CLASSES);
		this.present = new AtomicIntegerArray(CLASSES);
		this.since = isNext ? this.since + TURN_NANOS : now;
	}

	static int classOf(long micros) {
		if (micros < 4) {
			return (int) Math.max(0, micros);
		}
		int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
		return Math.min(CLASSES - 1, 4 * (power - 1) + (int) ((micros >>> (power - 2)) & 3));
	}

	/**
	 * Returns the time below which a share of the handlings were, at least.
	 * @param counts how many are in which class, in ascending order
	 * @param share the share, from 0 to 1
	 * @param least how many there must be
	 * @return the end of the class, or {@code null} if there are fewer
	 */
	static @Nullable Duration quantile(Map<Integer, Integer> counts, double share, int least) {
		long all = counts.values().stream().mapToLong(Integer::longValue).sum();
		if (all < least) {
			return null;
		}
		long left = (long) Math.ceil(all * share);
		for (Map.Entry<Integer, Integer> each : counts.entrySet()) {
			left -= each.getValue();
			if (left <= 0) {
				return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(endOf(each.getKey())));
			}
		}
		return null;
	}

	/**
	 * Returns the first time behind a class, in microseconds.
	 */
	static long endOf(int classNumber) {
		if (classNumber < 4) {
			return classNumber + 1L;
		}
		return (4L + classNumber % 4 + 1) << (classNumber / 4 - 1);
	}

}
