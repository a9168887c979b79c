package io.redelay.queue.admin;

import java.time.Duration;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;

/**
 * Acts on whole queues: pauses, closes, drains, empties and deletes them. It is returned
 * by {@link QueueAdmin#control()}; what the description of {@link QueueAdmin} says of
 * names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueControl {

	/**
	 * Removes all messages in a state, in steps. Messages that come meanwhile may stay.
	 * Dead messages that are being moved to another queue stay.
	 * @param queue the queue
	 * @param state the state: {@link MessageState#SCHEDULED}, {@link MessageState#READY},
	 * {@link MessageState#DEAD} or {@link MessageState#COMPLETED}
	 * @return how many were removed
	 */
	long purge(String queue, MessageState state);

	/**
	 * Stops the delivery of messages to all listeners of a queue, in all instances, until
	 * {@link #resume} is called. Messages that listeners hold already, in a handler or
	 * prefetched, are still handled; sends are still accepted. The pause is kept in
	 * Redis, so it also holds for instances that start later.
	 * @param queue the queue
	 */
	void pause(String queue);

	/**
	 * Resumes the delivery of messages.
	 * @param queue the queue
	 */
	void resume(String queue);

	/**
	 * Closes a queue for new messages, for all senders, until {@link #reopen} is called:
	 * they get a {@link io.redelay.queue.QueueClosedException}. The messages in the queue
	 * are delivered.
	 * @param queue the queue
	 */
	void close(String queue);

	/**
	 * Opens a queue for new messages again.
	 * @param queue the queue
	 */
	void reopen(String queue);

	/**
	 * Closes a queue for new messages, and waits until its messages are handled: until
	 * none is ready, in flight, or due before the limit is over. If a queue with several
	 * partitions has no message left, not even a scheduled one, its keys are spread over
	 * as many partitions as are configured here. Other instances find out within four
	 * times {@code redelay.queue.safety-poll-interval}; wait for that before you reopen
	 * the queue.
	 * @param queue the queue
	 * @param limit how long to wait at most; 0 to 3650 days
	 * @return the numbers of messages left; none is ready or in flight if the limit was
	 * long enough. The queue stays closed
	 */
	QueueInfo drain(String queue, Duration limit);

	/**
	 * Frees a key to deduplicate by, for all ways of deduplication and in all partitions.
	 * The next message with it is added, and begins anew. The messages that had it stay
	 * as they are, with their due time and the payloads that they gathered.
	 * @param queue the queue
	 * @param key the key; 1 to 256 characters, none of them a control character
	 * @return whether a message had it
	 */
	boolean freeDeduplicationKey(String queue, String key);

	/**
	 * Deletes a queue that has no messages, dead ones included, and no recurring
	 * messages, paused ones included.
	 * @param queue the queue
	 * @throws QueueException if it has messages, or recurring messages, which it names
	 */
	void delete(String queue);

	/**
	 * Deletes a queue and all its messages, those that handlers have in hand included;
	 * the outcome of those is lost. The next use of the name creates a new queue;
	 * listeners that still run do so.
	 * <p>
	 * Its recurring messages are removed, each with a
	 * {@link io.redelay.queue.recurring.RecurringEvent.Kind#DELETED} event. Applications
	 * that run and declare one of them declare it again.
	 * @param queue the queue
	 */
	void deleteWithMessages(String queue);

}
