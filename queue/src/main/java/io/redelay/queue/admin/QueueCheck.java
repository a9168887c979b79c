package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;

/**
 * The result of a check of all that Redis keeps of a queue, see
 * {@link QueueInspector#check(String)}. A queue without problems has each message in
 * exactly one state, and no data that belongs to no message.
 *
 * @param queue the queue
 * @param time when the check ended, by the clock of Redis
 * @param examined how many entries were looked at
 * @param complete whether everything was looked at; a part with more than a million
 * entries is not looked at to its end
 * @param problemCount how many problems there are
 * @param problems the first 100 of them
 * @since 0.1.0
 */
public record QueueCheck(String queue, Instant time, long examined, boolean complete, long problemCount,
		List<Problem> problems) {

	/**
	 * Copies the problems.
	 */
	public QueueCheck {
		problems = List.copyOf(problems);
	}

	/**
	 * Returns whether everything was looked at, and nothing is wrong.
	 * @return {@code true} if the queue is sound
	 */
	public boolean sound() {
		return this.complete && this.problemCount == 0;
	}

	/**
	 * Something that is wrong.
	 *
	 * @param kind the kind
	 * @param partition the partition or queue that has it
	 * @param subject the uid of the message, or the name of the lane or key
	 * @param detail what is wrong, in words
	 */
	public record Problem(Kind kind, String partition, String subject, String detail) {

	}

	/**
	 * Kinds of problems.
	 */
	public enum Kind {

		/**
		 * A message is in two states at once, and may be delivered twice.
		 */
		TWO_STATES,

		/**
		 * A message is in no place from which it can be delivered.
		 */
		STRANDED,

		/**
		 * The place of a message in a line or a group is not what the index says.
		 */
		SEAT,

		/**
		 * The turn of an ordering key does not belong to the message that it should.
		 */
		TURN,

		/**
		 * Data of a message that no longer exists is left.
		 */
		ORPHAN,

		/**
		 * A message has no body where it must have one.
		 */
		NO_BODY,

		/**
		 * The record of what a lane holds differs from what it holds.
		 */
		LANE,

		/**
		 * The number of held messages of a fairness key is wrong.
		 */
		BUSY,

		/**
		 * An id does not find the message that has it.
		 */
		ID,

		/**
		 * A tag finds a message that does not have it.
		 */
		TAG,

		/**
		 * A key to deduplicate by never ends.
		 */
		KEY,

		/**
		 * The pending messages that a bundle records are not those that it has, or it has
		 * no callback.
		 */
		BUNDLE,

		/**
		 * The recorded size of dead or completed messages is not their size, or the
		 * recorded number of packed messages is not theirs.
		 */
		SIZE

	}

}
