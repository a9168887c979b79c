package io.redelay.queue.claim;

import java.time.Instant;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;

import org.jspecify.annotations.Nullable;

/**
 * The due times of messages that failed on the lanes of one consumer, so that each of
 * these lanes leaves them to other instances first.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RetryTimes {

	/**
	 * How many due times are kept.
	 */
	private static final int MAX_SIZE = 100;

	private final NavigableSet<Instant> due = new ConcurrentSkipListSet<>();

	void add(Instant time) {
		this.due.add(time);
		while (this.due.size() > MAX_SIZE) {
			this.due.pollLast();
		}
	}

	void forgetUntil(Instant now) {
		this.due.headSet(now, true).clear();
	}

	@Nullable Instant first() {
		Iterator<Instant> times = this.due.iterator();
		return times.hasNext() ? times.next() : null;
	}

}
