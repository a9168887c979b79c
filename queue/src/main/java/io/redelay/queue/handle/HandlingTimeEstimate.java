package io.redelay.queue.handle;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Estimates how long a container's handlers take for a message, by a moving average, and
 * decides by that about the prefetch and about starting threads.
 * <p>
 * Safe for use by many threads.
 */
public final class HandlingTimeEstimate {

	/**
	 * How much handling time the prefetch covers.
	 */
	private static final long PREFETCH_NANOS = 100_000_000;

	private static final int MAX_PREFETCH = 500;

	/**
	 * How much handling time the messages of one ordering key cover that are claimed
	 * together.
	 */
	private static final long ROW_NANOS = 10_000_000;

	private static final int MAX_ROW = 100;

	private static final long FAST_NANOS = 1_000_000;

	private static final long BRIEF_NANOS = 100_000;

	private final @Nullable Integer prefetch;

	private final AtomicLong meanNanos = new AtomicLong(Long.MAX_VALUE);

	/**
	 * How many messages have ended since one failed and others of its ordering key went
	 * back, up to {@link #MAX_ROW}.
	 */
	private final AtomicInteger endedSinceFailure = new AtomicInteger(MAX_ROW);

	/**
	 * Creates an estimate that assumes slow handlers until some are measured.
	 * @param prefetch how many messages are claimed ahead of the handlers, or
	 * {@code null} to adapt to their speed
	 */
	public HandlingTimeEstimate(@Nullable Integer prefetch) {
		this.prefetch = prefetch;
	}

	/**
	 * Adds how long it took to handle a message. Of two that end at the same time, one
	 * may be left out.
	 */
	public void handled(long nanos) {
		long mean = this.meanNanos.get();
		this.meanNanos.compareAndSet(mean, (mean == Long.MAX_VALUE) ? nanos : mean + (nanos - mean) / 8);
	}

	/**
	 * Called when a message has ended.
	 */
	public void ended() {
		int ended = this.endedSinceFailure.get();
		if (ended < MAX_ROW) {
			this.endedSinceFailure.compareAndSet(ended, ended + 1);
		}
	}

	/**
	 * Called when a message has not ended, and the others of its ordering key go back
	 * that were claimed with it.
	 */
	public void rowFailed() {
		this.endedSinceFailure.set(0);
	}

	/**
	 * Called when messages have waited for a handler far longer than the prefetch should
	 * take: there is no prefetch until handlers are fast again.
	 */
	public void stalled(int permits) {
		this.meanNanos.accumulateAndGet(PREFETCH_NANOS * permits + 1, Math::max);
	}

	/**
	 * Returns whether handlers are known to be so fast that claimed messages are settled
	 * at once.
	 */
	public boolean isFast() {
		return this.meanNanos.get() < FAST_NANOS;
	}

	/**
	 * Returns whether handlers are known to take less time than a request.
	 */
	public boolean isBrief() {
		return this.meanNanos.get() < BRIEF_NANOS;
	}

	/**
	 * Returns whether so many handlers are expected to finish so many messages in less
	 * time than a request takes.
	 */
	boolean areBrief(int messages, int handlers) {
		long mean = this.meanNanos.get();
		return mean < BRIEF_NANOS && messages * mean <= handlers * BRIEF_NANOS;
	}

	/**
	 * Returns how many messages to claim ahead of so many handlers.
	 */
	public int prefetch(int permits) {
		if (this.prefetch != null) {
			return this.prefetch;
		}
		return (int) Math.min(MAX_PREFETCH, PREFETCH_NANOS * permits / Math.max(1, this.meanNanos.get()));
	}

	/**
	 * Returns how many more messages of its ordering key to claim with a message: none
	 * after such messages went back because one failed, and one more with each message
	 * that ends.
	 */
	public int row() {
		int ended = this.endedSinceFailure.get();
		int most = (this.prefetch != null) ? Math.min(this.prefetch, ended) : ended;
		return (int) Math.min(most, ROW_NANOS / Math.max(1, this.meanNanos.get()));
	}

}
