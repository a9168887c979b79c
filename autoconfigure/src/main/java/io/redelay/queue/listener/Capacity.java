package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * Bounds what a container handles and holds. Handlers have permits; beyond them as many
 * messages are held as are handled in 100 ms, unless a number is given.
 * <p>
 * Safe for use by many threads.
 */
final class Capacity {

	private static final long PREFETCH_NANOS = 100_000_000;

	private static final int MAX_PREFETCH = 500;

	private final int minPermits;

	private final int maxPermits;

	private final int batchSize;

	private final @Nullable Integer prefetch;

	private int permits;

	private int held;

	private long meanNanos = Long.MAX_VALUE;

	private boolean suspectHeld;

	Capacity(ContainerSettings settings) {
		this.minPermits = settings.minConcurrency();
		this.maxPermits = settings.maxConcurrency();
		this.batchSize = settings.batchSize();
		this.prefetch = settings.prefetch();
		this.permits = this.minPermits;
	}

	/**
	 * How many handlers may run now.
	 */
	synchronized int permits() {
		return this.permits;
	}

	/**
	 * Reserves room for messages that are to be claimed.
	 * @return for how many there is room
	 */
	synchronized int reserve(int most) {
		int room = Math.max(0, Math.min(most, this.permits * this.batchSize + prefetch() - this.held));
		this.held += room;
		return room;
	}

	/**
	 * Gives room back: for messages that were not there, or are settled.
	 */
	synchronized void release(int count) {
		this.held -= count;
	}

	synchronized int held() {
		return this.held;
	}

	/**
	 * Takes note of whether a claim was filled, which moves the permits within their
	 * range.
	 */
	synchronized void claimed(boolean full) {
		if (full && this.permits < this.maxPermits) {
			this.permits++;
		}
		else if (!full && this.permits > this.minPermits) {
			this.permits--;
		}
	}

	/**
	 * Takes note of how long it took to handle a message.
	 */
	synchronized void handled(long nanos) {
		this.meanNanos = (this.meanNanos == Long.MAX_VALUE) ? nanos : this.meanNanos + (nanos - this.meanNanos) / 8;
	}

	/**
	 * Takes note that messages have waited for a handler far longer than what is
	 * prefetched should take: nothing is prefetched until handlers have proved fast
	 * again.
	 */
	synchronized void stalled() {
		this.meanNanos = Math.max(this.meanNanos, PREFETCH_NANOS * this.permits + 1);
	}

	/**
	 * Reserves the one place for a message whose lane died.
	 */
	synchronized boolean reserveSuspect() {
		if (this.suspectHeld) {
			return false;
		}
		this.suspectHeld = true;
		return true;
	}

	synchronized void releaseSuspect() {
		this.suspectHeld = false;
	}

	private int prefetch() {
		if (this.prefetch != null) {
			return this.prefetch;
		}
		return (int) Math.min(MAX_PREFETCH, PREFETCH_NANOS * this.permits / Math.max(1, this.meanNanos));
	}

}
