package io.redelay.queue.script.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A job as the store knows it.
 *
 * @param id its id
 * @param state whether it runs
 * @param began when it began, by the clock of the store
 * @param ended when it ended, if it has
 * @param number the number of the last note
 * @param owner the instance that has it or had it last, or empty
 * @param request its request
 * @param progress its progress, or empty at first
 * @since 0.1.0
 */
public record StoredJob(String id, State state, Instant began, @Nullable Instant ended, long number, String owner,
		String request, String progress) {

	/**
	 * Whether a job runs, or how it ended.
	 */
	public enum State {

		/**
		 * It runs, or waits for an instance that carries it out.
		 */
		RUNNING,

		/**
		 * All was done.
		 */
		DONE,

		/**
		 * It was stopped.
		 */
		STOPPED,

		/**
		 * It cannot go on.
		 */
		FAILED

	}

}
