package io.redelay.queue.listener;

import io.redelay.queue.DeathReason;

/**
 * Called when this instance has taken entries out of the inlet of a queue. All beans of
 * this type are called, in their order.
 * <p>
 * Called on a thread of the handlers, after Redis has answered, one call at a time for a
 * queue. What it throws is logged and changes nothing.
 *
 * @since 0.1.0
 */
public interface InletListener {

	/**
	 * Entries were sent to the queue.
	 * @param queue the queue
	 * @param count how many entries, of which some may be duplicates of messages that the
	 * queue has
	 */
	default void onTaken(String queue, int count) {
	}

	/**
	 * An entry cannot be sent, and is among the dead messages of the queue with the
	 * reason {@link DeathReason#REFUSED}.
	 * @param queue the queue
	 * @param uid the uid of the dead message
	 * @param reason what is wrong with the entry
	 */
	default void onRefused(String queue, String uid, String reason) {
	}

}
