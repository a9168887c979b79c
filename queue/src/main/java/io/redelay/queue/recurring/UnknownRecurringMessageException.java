package io.redelay.queue.recurring;

import io.redelay.queue.QueueException;

/**
 * There is no recurring message of this name.
 *
 * @since 0.1.0
 */
public class UnknownRecurringMessageException extends QueueException {

	/**
	 * Creates an exception.
	 * @param queue the queue
	 * @param name the name that is unknown
	 */
	public UnknownRecurringMessageException(String queue, String name) {
		super("The queue '" + queue + "' has no recurring message '" + name
				+ "'. RecurringMessages.list() shows which there are");
	}

}
