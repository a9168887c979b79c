package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long Redis takes to answer the claims of a loop: the median of the last
 * ones within half a minute, which a rare pause of this process or of Redis does not
 * change. Also records the time of the last answer, and the limit that the last claim
 * met.
 * <p>
 * Safe for use by many threads.
 */
final class ClaimTimes {

	/**
	 * After what time a claim counts as unanswered.
	 */
	private static final Duration UNANSWERED = Duration.ofSeconds(1);

	/**
	 * The number of claims for the median.
	 */
	private static final int LAST = 9;

	/**
	 * Fewer claims than this are not used: the first ones of an application open
	 * connections, while the rest of it starts as well.
	 */
	private static final int FEWEST = 3;

	/**
	 * With fewer claims than this, the shortest time counts.
	 */
	private static final int ENOUGH_FOR_MEDIAN = 5;

	/**
	 * For how long the time of a claim is used: an idle listener claims every five
	 * seconds, so nine claims would be outdated.
	 */
	private static final long LIFETIME = Duration.ofSeconds(30).toNanos();

	private final Scheduler clock;

	/**
	 * The answers to the last claims, the latest one last.
	 */
	private final ArrayDeque<Answer> answers = new ArrayDeque<>();

	/**
	 * When the claim that has no answer yet was sent; {@code null} for none.
	 */
	private @Nullable Long sentNanos;

	private boolean failed;

	private ClaimLimits.@Nullable Kind limitedBy;

	ClaimTimes(Scheduler clock) {
		this.clock = clock;
	}

	/**
	 * Records that a claim goes out; one that is not answered goes out again later.
	 */
	synchronized void sent() {
		if (this.sentNanos == null) {
			this.sentNanos = this.clock.nanoTime();
		}
	}

	/**
	 * Records that Redis has answered a claim, with any reply.
	 * @param nanos how long that took
	 */
	synchronized void answered(long nanos) {
		if (this.answers.size() == LAST) {
			this.answers.remove();
		}
		this.answers.add(new Answer(this.clock.nanoTime(), nanos));
		this.sentNanos = null;
		this.failed = false;
	}

	/**
	 * Records that a claim for messages was carried out.
	 * @param limit which limit kept it from bringing some, or {@code null} if none did
	 */
	synchronized void limited(ClaimLimits.@Nullable Kind limit) {
		this.limitedBy = limit;
	}

	/**
	 * Records that a claim failed.
	 */
	synchronized void failed() {
		this.failed = true;
	}

	/**
	 * Returns the present state.
	 */
	synchronized ContainerState.Claims state() {
		long now = this.clock.nanoTime();
		Long sent = this.sentNanos;
		Answer last = this.answers.peekLast();
		Duration silence = Duration.ofNanos((sent != null) ? now - sent : 0);
		return new ContainerState.Claims((last != null) ? Duration.ofNanos(now - last.at()) : null, usual(now),
				(this.failed || silence.compareTo(UNANSWERED) >= 0) ? silence : null,
				(this.limitedBy != null) ? Set.of(this.limitedBy) : Set.of());
	}

	private @Nullable Duration usual(long now) {
		List<Long> times = new ArrayList<>();
		for (Answer answer : this.answers) {
			if (now - answer.at() <= LIFETIME) {
				times.add(answer.nanos());
			}
		}
		if (times.size() < FEWEST) {
			return null;
		}
		Collections.sort(times);
		return Duration.ofNanos(times.get((times.size() < ENOUGH_FOR_MEDIAN) ? 0 : times.size() / 2));
	}

	/**
	 * An answer to a claim.
	 *
	 * @param at when it came
	 * @param nanos how long it took
	 */
	private record Answer(long at, long nanos) {
	}

}
