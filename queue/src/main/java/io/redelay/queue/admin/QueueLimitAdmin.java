package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Reads and changes the limits of queues that hold for all instances. It is returned by
 * {@link QueueAdmin#limits()}; what the description of {@link QueueAdmin} says of names,
 * waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueLimitAdmin {

	/**
	 * Reads the limits of a queue, and where each comes from: set at run time, or
	 * declared by listeners and senders. Declarations of listeners are known from the
	 * announcements of running instances.
	 * @param queue the queue
	 * @return its limits
	 */
	QueueLimits of(String queue);

	/**
	 * Changes limits of a queue for all instances, in place of what their listeners and
	 * senders declare, until {@link #clear} is called. Limits are kept in Redis, so they
	 * also hold for instances that start later. They hold for each claim and each send
	 * that Redis carries out after this. If more messages are in hand than a new limit
	 * allows, these are still handled, and nothing is claimed until there is room.
	 * Listeners that a limit held up are woken.
	 * @param queue the queue
	 * @param change what to change; limits that it does not name stay as they are
	 * @return its limits after this
	 * @throws QueueException if the queue has several partitions, over which only
	 * {@link QueueLimit#ORDERING_KEY_MAX_LENGTH} can be counted
	 */
	QueueLimits change(String queue, LimitsChange change);

	/**
	 * Removes all limits that {@link #change} has set, so that the declarations of
	 * listeners and senders hold again.
	 * @param queue the queue
	 * @return its limits after this
	 */
	QueueLimits clear(String queue);

}
