package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Map;

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
 * @since 0.1.0
 */
public record ContainerState(boolean running, boolean paused, int busy, int waiting, Map<String, Boolean> gated,
		Map<String, Claims> claims) {

	/**
	 * How the claims from a queue go.
	 *
	 * @param since how long ago Redis answered the last one, if it has answered one
	 * @param time how long it takes to answer, the median of the last ones
	 * @param silence since when Redis has been asked without an answer, if the last one
	 * has had none for a second, or failed; else {@code null}
	 */
	public record Claims(@Nullable Duration since, @Nullable Duration time, @Nullable Duration silence) {

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
					pick(this.silence, other.silence, true));
		}

		/**
		 * Without the silence of a loop that need not ask again.
		 */
		Claims answered() {
			return new Claims(this.since, this.time, null);
		}

		private static @Nullable Duration pick(@Nullable Duration one, @Nullable Duration other, boolean longer) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			return ((one.compareTo(other) > 0) == longer) ? one : other;
		}

	}

}
