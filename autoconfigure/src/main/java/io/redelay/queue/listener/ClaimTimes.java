package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Arrays;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * How long Redis takes to answer the claims of a loop: the median of the last ones, which
 * a pause of this process or of Redis now and then does not move, and when it did so
 * last.
 * <p>
 * Safe for use by many threads.
 */
final class ClaimTimes {

	/**
	 * From which time on a claim counts as one that has no answer.
	 */
	private static final Duration UNANSWERED = Duration.ofSeconds(1);

	/**
	 * Of how many claims the median is taken; of fewer than half of that, the shortest
	 * time counts, for the first ones open connections.
	 */
	private static final int LAST = 9;

	private final Scheduler clock;

	private final long[] nanos = new long[LAST];

	private long answered;

	private long answeredNanos;

	/**
	 * Since when an answer is waited for, if one is.
	 */
	private @Nullable Long sentNanos;

	private boolean failed;

	ClaimTimes(Scheduler clock) {
		this.clock = clock;
	}

	/**
	 * A claim goes out; one that is not answered goes out again later.
	 */
	synchronized void sent() {
		if (this.sentNanos == null) {
			this.sentNanos = this.clock.nanoTime();
		}
	}

	/**
	 * Redis has answered a claim, whatever it said.
	 * @param nanos how long that took
	 */
	synchronized void answered(long nanos) {
		this.nanos[(int) (this.answered % LAST)] = nanos;
		this.answered++;
		this.answeredNanos = this.clock.nanoTime();
		this.sentNanos = null;
		this.failed = false;
	}

	/**
	 * A claim failed.
	 */
	synchronized void failed() {
		this.failed = true;
	}

	/**
	 * How it is now.
	 */
	synchronized ContainerState.Claims state() {
		long now = this.clock.nanoTime();
		Long sent = this.sentNanos;
		boolean none = this.answered == 0;
		Duration silence = Duration.ofNanos((sent != null) ? now - sent : 0);
		return new ContainerState.Claims(none ? null : Duration.ofNanos(now - this.answeredNanos),
				none ? null : Duration.ofNanos(usual()),
				(this.failed || silence.compareTo(UNANSWERED) >= 0) ? silence : null);
	}

	private long usual() {
		long[] sorted = Arrays.copyOf(this.nanos, (int) Math.min(LAST, this.answered));
		Arrays.sort(sorted);
		return sorted[(sorted.length <= LAST / 2) ? 0 : sorted.length / 2];
	}

}
