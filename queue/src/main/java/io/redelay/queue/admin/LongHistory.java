package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The history of a queue over a day or a month, in all partitions and all instances,
 * including those that have ended since.
 *
 * @param queue the queue
 * @param time when it was read, by the clock of Redis
 * @param span how far it looks back
 * @param steps as many as {@link Span#steps()} says, the oldest first; the last one is
 * not over
 * @since 0.1.0
 */
public record LongHistory(String queue, Instant time, Span span, List<QueueMinute> steps) {

	/**
	 * Copies the steps.
	 */
	public LongHistory {
		steps = List.copyOf(steps);
	}

	/**
	 * How far a history looks back, and how long its steps are.
	 */
	public enum Span {

		/**
		 * A day, in quarters of an hour.
		 */
		DAY(Duration.ofMinutes(15), 96),

		/**
		 * A month of 31 days, in steps of four hours.
		 */
		MONTH(Duration.ofHours(4), 186);

		private final Duration step;

		private final int steps;

		Span(Duration step, int steps) {
			this.step = step;
			this.steps = steps;
		}

		/**
		 * Returns how long a step is.
		 * @return how long
		 */
		public Duration step() {
			return this.step;
		}

		/**
		 * Returns how many steps there are, with the one that is not over.
		 * @return how many
		 */
		public int steps() {
			return this.steps;
		}

	}

}
