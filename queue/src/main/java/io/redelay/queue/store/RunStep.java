package io.redelay.queue.store;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * A step in the life of a run that has an idempotency key.
 *
 * @param action the action
 * @param key the key, in the form of {@link RunRequest}
 * @param run the run, a name that its owner gives once
 * @param window for how long the key is done, for {@link Action#DONE}
 * @since 0.1.0
 */
public record RunStep(Action action, String key, String run, Duration window) {

	/**
	 * The action of a step.
	 */
	public enum Action {

		/**
		 * The run is to begin, if the key is neither done nor runs.
		 */
		BEGIN("begin"),

		/**
		 * The run has succeeded: the key is done, and is forgotten after the window.
		 */
		DONE("done"),

		/**
		 * The run has not succeeded, and the key is free if it is the one of this run.
		 */
		FREE("free"),

		/**
		 * Nothing happens: the answer is the state of the key.
		 */
		LOOK("look"),

		/**
		 * The key is not done any more.
		 */
		FORGET("forget");

		private final String verb;

		Action(String verb) {
			this.verb = verb;
		}

		public String verb() {
			return this.verb;
		}

	}

	/**
	 * Checks the step.
	 */
	public RunStep {
		Assert.isTrue(action != Action.DONE || window.toMillis() >= 1,
				() -> "'window' must be at least a millisecond: " + window);
	}

}
