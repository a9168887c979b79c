package io.redelay.queue.admin;

import java.time.Duration;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;

/**
 * Looks at queues and acts on them and on their messages. There is a bean of this type.
 * What it inherits is grouped by theme: single messages, dead ones, jobs on many, what
 * there is to know of queues, topics. Here is what is done with a whole queue.
 * <p>
 * A message is named by its id or uid; what {@link io.redelay.queue.SendResult#id()
 * SendResult} gave is always right. Of several messages of one id, of which all but one
 * are dead, the id names the living one, or else the newest. Each method asks Redis and
 * waits for the answer; each takes a bounded time there, however much a queue holds, and
 * those that have much to do go step by step. Nothing here takes part in transactions.
 * <p>
 * A queue that nobody has used is refused with an {@link UnknownQueueException}, an
 * argument that cannot be right with an {@link IllegalArgumentException}, and what the
 * state of a message or queue forbids with another {@link QueueException}. A Redis that
 * gives no answer for {@code redelay.queue.resend-timeout}, 30 s by default, ends in a
 * {@link QueueBackendException}. What reads messages or their deaths ends so at the first
 * answer that does not come within {@code spring.data.redis.timeout}.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueAdmin extends MessageAdmin, DeadLetterAdmin, BulkJobAdmin, QueueInspector, TopicAdmin {

	/**
	 * Removes all messages in a state, in steps; those that come meanwhile may stay, and
	 * dead ones stay that are being handed on to another queue.
	 * @param queue the queue
	 * @param state the state: {@link MessageState#SCHEDULED}, {@link MessageState#READY},
	 * {@link MessageState#DEAD} or {@link MessageState#COMPLETED}
	 * @return how many were removed
	 */
	long purge(String queue, MessageState state);

	/**
	 * Stops the delivery of messages to all listeners of a queue, in all instances, until
	 * {@link #resume} is called. What listeners hold already, in a handler or prefetched,
	 * is still handled; senders send on. Kept in Redis: it also holds for instances that
	 * start later.
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
	 * they get a {@link io.redelay.queue.QueueClosedException}. What is there is
	 * delivered.
	 * @param queue the queue
	 */
	void close(String queue);

	/**
	 * Opens a queue for new messages again.
	 * @param queue the queue
	 */
	void reopen(String queue);

	/**
	 * Reads what a queue is limited to, and where each limit comes from: what is set at
	 * run time, and what listeners and senders declare. What listeners declare is known
	 * of instances that run, from what they announce.
	 * @param queue the queue
	 * @return its limits
	 */
	QueueLimits limits(String queue);

	/**
	 * Changes limits of a queue for all instances, in place of what their listeners and
	 * senders declare, until {@link #clearLimits} is called. Kept in Redis: it also holds
	 * for instances that start later. It holds for each claim and each send that Redis
	 * carries out after this. What is in hand, more than a new limit allows, is still
	 * handled, and nothing is claimed until there is room. Listeners that a limit held up
	 * are woken.
	 * @param queue the queue
	 * @param change what to change; what it does not name stays as it is
	 * @return its limits then
	 * @throws QueueException if the queue has several partitions, over which only
	 * {@link QueueLimit#ORDERING_KEY_MAX_LENGTH} can be counted
	 */
	QueueLimits changeLimits(String queue, LimitsChange change);

	/**
	 * Takes away all limits that {@link #changeLimits} has set, so that what listeners
	 * and senders declare holds again.
	 * @param queue the queue
	 * @return its limits then
	 */
	QueueLimits clearLimits(String queue);

	/**
	 * Closes a queue for new messages, and waits until what is there is handled: until
	 * nothing is ready or in flight, nor due before the limit is over. If nothing is left
	 * of a queue with several partitions, nothing scheduled either, its keys are spread
	 * over as many partitions as are configured here; other instances learn of it within
	 * four times {@code redelay.queue.safety-poll-interval}, which is to be waited for
	 * before it is reopened.
	 * @param queue the queue
	 * @param limit how long to wait at most; 0 to 3650 days
	 * @return what is left; nothing is ready or in flight if the limit was long enough.
	 * The queue stays closed
	 */
	QueueInfo drain(String queue, Duration limit);

	/**
	 * Frees a key to deduplicate by, in whatever way messages have it and in all
	 * partitions: the next message with it is added, and begins anew. The messages that
	 * had it stay as they are; what has gathered in one stays in it and is due when it
	 * was.
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
	 * Deletes a queue and all its messages, those that handlers have in hand included:
	 * what becomes of those is not known to anybody then. Whoever uses the queue again,
	 * as listeners that still run do, makes a new one.
	 * <p>
	 * Its recurring messages are removed, each with a
	 * {@link io.redelay.queue.recurring.RecurringEvent.Kind#DELETED} event. Applications
	 * that run and declare one of them declare it again.
	 * @param queue the queue
	 */
	void deleteWithMessages(String queue);

}
