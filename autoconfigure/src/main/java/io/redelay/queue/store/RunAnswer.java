package io.redelay.queue.store;

import java.time.Duration;

/**
 * What the store answers to a {@link RunStep}.
 *
 * @param state what became of it
 * @param elapsed for how long the other run has been running, if there is one
 * @param rest after what time the other run counts as crashed if its owner does not renew
 * its lease, if there is one
 * @since 0.1.0
 */
public record RunAnswer(State state, Duration elapsed, Duration rest) {

	/**
	 * What became of a step.
	 */
	public enum State {

		/**
		 * The run has begun and has the key.
		 */
		MINE,

		/**
		 * A run with the key has succeeded, so this one does not begin.
		 */
		DONE,

		/**
		 * Another run has the key, so this one does not begin.
		 */
		RUNNING,

		/**
		 * The end of the run is recorded.
		 */
		OK

	}

	/**
	 * Creates an answer that tells of no other run.
	 * @param state what became of the step
	 * @return the answer
	 */
	public static RunAnswer of(State state) {
		return new RunAnswer(state, Duration.ZERO, Duration.ZERO);
	}

}
