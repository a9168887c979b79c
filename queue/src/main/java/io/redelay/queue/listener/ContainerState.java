package io.redelay.queue.listener;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.store.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * What a container does at a moment.
 *
 * @param running whether it was started and not stopped since
 * @param paused whether it is paused
 * @param busy how many handlers run
 * @param waiting how many messages wait for a handler
 * @param gated whether a gate of this instance is closed, by queue
 * @param claims how claims go, by queue
 * @param waitsFor by queue, for those that wait for another one in a strict order: which
 * @since 0.1.0
 */
public record ContainerState(boolean running, boolean paused, int busy, int waiting, Map<String, Boolean> gated,
		Map<String, Claims> claims, Map<String, String> waitsFor) {

	/**
	 * How the claims from a queue go.
	 *
	 * @param since how long ago Redis answered the last one, if it has answered one
	 * @param time how long it takes to answer, the median of the last ones within half a
	 * minute; {@code null} if these are fewer than three
	 * @param silence since when Redis has been asked without an answer, if the last one
	 * has had none for a second, or failed; else {@code null}
	 * @param limitedBy which limits kept the last ones from bringing messages that were
	 * ready and wanted
	 */
	public record Claims(@Nullable Duration since, @Nullable Duration time, @Nullable Duration silence,
			Set<ClaimLimits.Kind> limitedBy) {

		/**
		 * Nothing was claimed yet.
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
		 * Of two loops or partitions, the last answer, the longer time, and the longer
		 * silence: they may be on different servers.
		 */
		Claims and(Claims other) {
			return new Claims(pick(this.since, other.since, false), pick(this.time, other.time, true),
					pick(this.silence, other.silence, true), both(this.limitedBy, other.limitedBy));
		}

		/**
		 * Without what is not true any more of a loop that need not ask again.
		 */
		Claims answered() {
			return new Claims(this.since, this.time, null, Set.of());
		}

		private static Set<ClaimLimits.Kind> both(Set<ClaimLimits.Kind> some, Set<ClaimLimits.Kind> others) {
			Set<ClaimLimits.Kind> all = new HashSet<>(some);
			all.addAll(others);
			return all;
		}

		private static @Nullable Duration pick(@Nullable Duration one, @Nullable Duration other, boolean longer) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			return ((one.compareTo(other) > 0) == longer) ? one : other;
		}

	}

}
