package io.redelay.queue.measure;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The counts of one queue that are not known to be written. Those of a request that is
 * under way or failed keep its number, under which they are sent again; newer ones wait
 * for the next request. Counts older than an hour are dropped, so that there are sixty
 * spans at most.
 * <p>
 * Used by one thread at a time.
 */
final class PendingCounts {

	private static final long SPAN = Duration.ofMinutes(1).toNanos();

	private static final long RING = Duration.ofMinutes(60).toNanos();

	/**
	 * For how long a request may be repeated: shorter than its number is remembered.
	 */
	private static final long AGAIN = Duration.ofMinutes(5).toNanos();

	private final Deque<Counted> next = new ArrayDeque<>();

	private List<Counted> requested = List.of();

	private long requestedNanos;

	private long request;

	private int quiet;

	/**
	 * Adds counts of the present.
	 */
	void add(QueueCounts counts, long now) {
		if (counts.equals(QueueCounts.NONE)) {
			return;
		}
		Counted last = this.next.peekLast();
		if (last != null && now - last.nanos() < SPAN) {
			this.next.removeLast();
			this.next.add(new Counted(last.nanos(), last.counts().plus(counts)));
		}
		else {
			this.next.add(new Counted(now, counts));
		}
	}

	/**
	 * Drops counts that are too old to be shown, and a request that is too old to be
	 * repeated safely.
	 * @return whether anything was dropped
	 */
	boolean drop(long now) {
		boolean dropped = this.next.removeIf((counted) -> now - counted.nanos() > RING);
		if (!this.requested.isEmpty() && now - this.requestedNanos > AGAIN) {
			this.requested = List.of();
			dropped = true;
		}
		return dropped;
	}

	/**
	 * Returns the spans to write now, under {@link #request()}; empty if there are none.
	 * @param numbers gives the number of a new request
	 */
	List<CountsWriter.Span> take(long now, LongSupplier numbers) {
		if (this.requested.isEmpty() && !this.next.isEmpty()) {
			this.requested = new ArrayList<>(this.next);
			this.next.clear();
			this.request = numbers.getAsLong();
			this.requestedNanos = now;
		}
		this.quiet = this.requested.isEmpty() ? this.quiet + 1 : 0;
		return this.requested.stream()
			.map((counted) -> new CountsWriter.Span(TimeUnit.NANOSECONDS.toMillis(now - counted.nanos()),
					counted.counts()))
			.toList();
	}

	/**
	 * Returns whether there is something to write.
	 */
	boolean isWaiting() {
		return !this.requested.isEmpty() || !this.next.isEmpty();
	}

	long request() {
		return this.request;
	}

	void written() {
		this.requested = List.of();
	}

	/**
	 * Returns how often in a row there was nothing to write.
	 */
	int quiet() {
		return this.quiet;
	}

	private record Counted(long nanos, QueueCounts counts) {

	}

}
