package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * The state of a container at a moment.
 *
 * @param running whether it was started and not stopped since
 * @param paused whether it is paused
 * @param busy how many handlers run
 * @param waiting how many messages wait for a handler
 * @param gated whether a gate of this instance is closed, by queue
 * @param claims the state of the claims, by queue
 * @param waitsFor the queue that a queue waits for in a strict order, by the waiting
 * queue
 * @param inHands how many messages handlers work on, by queue
 * @since 0.1.0
 */
public record ContainerState(boolean running, boolean paused, int busy, int waiting, Map<String, Boolean> gated,
		Map<String, Claims> claims, Map<String, String> waitsFor, Map<String, Integer> inHands) {

	/**
	 * The state of the claims from a queue.
	 *
	 * @param since how long ago Redis answered the last one, if it has answered one
	 * @param time the median of its answer times to the last claims within half a minute;
	 * {@code null} if these are fewer than three
	 * @param silence for how long Redis has not answered, if the last claim has had no
	 * answer for a second, or failed; else {@code null}
	 * @param limitedBy the limits that kept the last claims from bringing ready messages
	 */
	public record Claims(@Nullable Duration since, @Nullable Duration time, @Nullable Duration silence,
			Set<ClaimLimits.Kind> limitedBy) {

		/**
		 * The state before the first claim.
		 */
		public static final Claims NONE = new Claims(null, null, null, Set.of());

		/**
		 * Copies the limits.
		 */
		public Claims {
			limitedBy = Set.copyOf(limitedBy);
		}

		/**
		 * Returns whether the last claim has had no answer for a second, or failed.
		 * @return whether it is so
		 */
		public boolean unanswered() {
			return this.silence != null;
		}

		/**
		 * Combines the states of two loops or partitions: the last answer, the longer
		 * time, and the longer silence, as they may be on different servers.
		 */
		Claims and(Claims other) {
			return new Claims(pick(this.since, other.since, false), pick(this.time, other.time, true),
					pick(this.silence, other.silence, true),
					Stream.concat(this.limitedBy.stream(), other.limitedBy.stream()).collect(Collectors.toSet()));
		}

		/**
		 * Returns this state without silence and limits, which may be outdated for a loop
		 * that need not claim again.
		 */
		Claims answered() {
			return new Claims(this.since, this.time, null, Set.of());
		}

		private static @Nullable Duration pick(@Nullable Duration one, @Nullable Duration other, boolean longer) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			return ((one.compareTo(other) > 0) == longer) ? one : other;
		}

	}

}
