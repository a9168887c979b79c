package io.redelay.queue.store;

import java.time.Duration;

/**
 * The answer of the store to a {@link RunStep}.
 *
 * @param state its result
 * @param elapsed for how long the other run has been running, if there is one
 * @param rest after what time the other run counts as crashed if its owner does not renew
 * its lease, if there is one
 * @since 0.1.0
 */
public record RunAnswer(State state, Duration elapsed, Duration rest) {

	/**
	 * The result of a step.
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
		 * The step was carried out. For a look at a key: no run with it has succeeded
		 * within its window, and none has it.
		 */
		OK

	}

	private static final Duration LEAST_WAIT = Duration.ofMillis(100);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	/**
	 * Returns when to look again at a key that runs: after a tenth of its running time,
	 * or at the end of its lease if that is sooner. So the end of a short run is noticed
	 * soon, and a long one is not asked about all the time.
	 * @return the time after which to look again
	 */
	public Duration lookAgain() {
		Duration delay = this.elapsed.dividedBy(10);
		if (delay.compareTo(LEAST_WAIT) < 0) {
			delay = LEAST_WAIT;
		}
		if (delay.compareTo(LONGEST_WAIT) > 0) {
			delay = LONGEST_WAIT;
		}
		Duration end = this.rest.plusMillis(1);
		return (end.compareTo(delay) < 0) ? end : delay;
	}

	/**
	 * Creates an answer that names no other run.
	 * @param state the result of the step
	 * @return the answer
	 */
	public static RunAnswer of(State state) {
		return new RunAnswer(state, Duration.ZERO, Duration.ZERO);
	}

}
