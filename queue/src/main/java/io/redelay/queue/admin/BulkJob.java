package io.redelay.queue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A job that acts on many messages of a queue, and how far it is. If the instance that
 * carries it out dies, another one takes it over within some seconds. If a step is
 * repeated because its instance died or Redis gave no answer, no message is processed
 * twice. But the messages that the first run of the step processed are missing from
 * {@code matched} and {@code done}, and a limit may be exceeded by as many.
 *
 * @param id its id
 * @param queue the queue
 * @param request what it does
 * @param state whether it runs
 * @param total how many messages the queue had in the states that it goes through when it
 * began
 * @param seen how many messages it has examined
 * @param matched how many of them the filter chose
 * @param done how many of these it has processed
 * @param refused how many of these had moved to another state, or forbade it;
 * {@code matched} is the sum of {@code done} and {@code refused}
 * @param startedAt when it began, by the clock of Redis
 * @param endedAt when it ended, by the clock of Redis, or {@code null} while it runs
 * @param failure why it failed, or {@code null} if it has not
 * @param instance the instance that carries it out or did so last, or {@code null} while
 * none does
 * @since 0.1.0
 */
public record BulkJob(String id, String queue, BulkRequest request, State state, long total, long seen, long matched,
		long done, long refused, Instant startedAt, @Nullable Instant endedAt, @Nullable String failure,
		@Nullable String instance) {

	/**
	 * Whether a job runs, or how it ended.
	 */
	public enum State {

		/**
		 * It runs, or waits until an instance has time for it.
		 */
		RUNNING,

		/**
		 * It has gone through all messages, or has reached its limit.
		 */
		DONE,

		/**
		 * It was stopped. A step that was under way then is finished.
		 */
		STOPPED,

		/**
		 * It cannot go on.
		 */
		FAILED

	}

}
