package io.redelay.queue.store;

import java.util.Set;

import io.redelay.queue.MessageState;

/**
 * A step through the messages of a queue.
 *
 * @param what the part of the messages that is gone through
 * @param states the states of the messages to show
 * @param place where to go on: {@code ""} at first, else the place in the previous reply
 * @param uid the uid there, likewise
 * @param count how many to look at, at most {@link QueueAdminStore#MAX_PAGE}
 * @since 0.1.0
 */
public record ScanRequest(What what, Set<MessageState> states, String place, String uid, int count) {

	/**
	 * The parts that can be gone through.
	 */
	public enum What {

		/**
		 * All living messages, in no order.
		 */
		LIVING,

		/**
		 * The messages in flight, in no order.
		 */
		IN_FLIGHT,

		/**
		 * The messages that are not due yet, the first due first.
		 */
		SCHEDULED,

		/**
		 * The dead, the last one first.
		 */
		DEAD,

		/**
		 * The completed, the last one first.
		 */
		COMPLETED

	}

}
