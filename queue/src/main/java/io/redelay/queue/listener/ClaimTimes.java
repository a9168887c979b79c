package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Set;
import java.util.stream.IntStream;

import io.redelay.queue.store.ClaimLimits;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * How long Redis takes to answer the claims of a loop: the median of the last ones within
 * half a minute, which a pause of this process or of Redis now and then does not move,
 * when it did so last, and which limit held up the last one.
 * <p>
 * Safe for use by many threads.
 */
final class ClaimTimes {

	/**
	 * From which time on a claim counts as one that has no answer.
	 */
	private static final Duration UNANSWERED = Duration.ofSeconds(1);

	/**
	 * Of how many claims the median is taken.
	 */
	private static final int LAST = 9;

	/**
	 * Fewer claims than this say nothing: an application that starts opens connections
	 * with its first ones, while all else in it starts as well.
	 */
	private static final int FEWEST = 3;

	/**
	 * Of fewer claims than this the shortest time counts.
	 */
	private static final int ENOUGH_FOR_MEDIAN = 5;

	/**
	 * For how long a claim says how Redis answers: an idle listener claims each five
	 * seconds, so nine claims would say so for longer than it is true.
	 */
	private static final long LIFETIME = Duration.ofSeconds(30).toNanos();

	private final Scheduler clock;

	private final long[] nanos = new long[LAST];

	private final long[] answeredAt = new long[LAST];

	private long answered;

	private long answeredNanos;

	/**
	 * Since when an answer is waited for, if one is.
	 */
	private @Nullable Long sentNanos;

	private boolean failed;

	private ClaimLimits.@Nullable Kind limitedBy;

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
		int place = (int) (this.answered % LAST);
		this.answeredNanos = this.clock.nanoTime();
		this.nanos[place] = nanos;
		this.answeredAt[place] = this.answeredNanos;
		this.answered++;
		this.sentNanos = null;
		this.failed = false;
	}

	/**
	 * A claim that wanted messages was carried out.
	 * @param limit which limit kept it from bringing some, or {@code null} if none did
	 */
	synchronized void limited(ClaimLimits.@Nullable Kind limit) {
		this.limitedBy = limit;
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
		return new ContainerState.Claims(none ? null : Duration.ofNanos(now - this.answeredNanos), usual(now),
				(this.failed || silence.compareTo(UNANSWERED) >= 0) ? silence : null,
				(this.limitedBy != null) ? Set.of(this.limitedBy) : Set.of());
	}

	private @Nullable Duration usual(long now) {
		long[] sorted = IntStream.range(0, (int) Math.min(LAST, this.answered))
			.filter((place) -> now - this.answeredAt[place] <= LIFETIME)
			.mapToLong((place) -> this.nanos[place])
			.sorted()
			.toArray();
		if (sorted.length < FEWEST) {
			return null;
		}
		return Duration.ofNanos(sorted[(sorted.length < ENOUGH_FOR_MEDIAN) ? 0 : sorted.length / 2]);
	}

}
