package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * How long a container's handlers take for a message: a moving average, and what follows
 * from it for claiming ahead and for starting threads.
 * <p>
 * Safe for use by many threads.
 */
final class HandlingTimeEstimate {

	/**
	 * How much work is claimed ahead of the handlers.
	 */
	private static final long PREFETCH_NANOS = 100_000_000;

	private static final int MAX_PREFETCH = 500;

	private static final long FAST_NANOS = 1_000_000;

	private static final long BRIEF_NANOS = 100_000;

	private final @Nullable Integer prefetch;

	private volatile long meanNanos = Long.MAX_VALUE;

	/**
	 * Nothing is known of the handlers yet, so they are taken for slow.
	 * @param prefetch how many messages are claimed ahead of the handlers, or
	 * {@code null} to adapt to how fast they are
	 */
	HandlingTimeEstimate(@Nullable Integer prefetch) {
		this.prefetch = prefetch;
	}

	/**
	 * Adds how long it took to handle a message.
	 */
	synchronized void handled(long nanos) {
		long mean = this.meanNanos;
		this.meanNanos = (mean == Long.MAX_VALUE) ? nanos : mean + (nanos - mean) / 8;
	}

	/**
	 * Messages have waited for a handler far longer than what is claimed ahead should
	 * take: nothing is claimed ahead until handlers have proved fast again.
	 */
	synchronized void stalled(int permits) {
		this.meanNanos = Math.max(this.meanNanos, PREFETCH_NANOS * permits + 1);
	}

	/**
	 * Whether handlers are known to be so fast that what is claimed is about to be
	 * settled.
	 */
	boolean isFast() {
		return this.meanNanos < FAST_NANOS;
	}

	/**
	 * Whether handlers are known to take less time than a request.
	 */
	boolean isBrief() {
		return this.meanNanos < BRIEF_NANOS;
	}

	/**
	 * Whether so many handlers are expected to be done with so many messages in less time
	 * than a request takes.
	 */
	boolean areBrief(int messages, int handlers) {
		long mean = this.meanNanos;
		return mean < BRIEF_NANOS && messages * mean <= handlers * BRIEF_NANOS;
	}

	/**
	 * How many messages to claim ahead of so many handlers.
	 */
	int prefetch(int permits) {
		if (this.prefetch != null) {
			return this.prefetch;
		}
		return (int) Math.min(MAX_PREFETCH, PREFETCH_NANOS * permits / Math.max(1, this.meanNanos));
	}

}
