package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Looks at queues and acts on them and on their messages, by theme: each method returns
 * the methods of one. There is a bean of this type.
 * <p>
 * A message is named by its id or uid; the id of the
 * {@link io.redelay.queue.SendResult#id() SendResult} is always right. If several
 * messages have one id, it names the living one, or else the newest dead one. Each method
 * asks Redis and waits for the answer. Each takes a bounded time there, however much a
 * queue holds; long ones go step by step. Nothing here takes part in transactions.
 * <p>
 * A queue that was never used is refused with an {@link UnknownQueueException}, and an
 * invalid argument with an {@link IllegalArgumentException}. An action that the state of
 * a message or queue forbids is refused with another {@link QueueException}. If Redis
 * gives no answer for {@code redelay.queue.resend-timeout}, 30 s by default, a
 * {@link QueueBackendException} is thrown. Methods that read messages or their deaths
 * throw it at the first answer that does not come within
 * {@code spring.data.redis.timeout}.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueAdmin {

	/**
	 * Returns what looks for single messages and acts on them.
	 * @return finds, cancels, reschedules, changes and deletes messages
	 */
	MessageAdmin messages();

	/**
	 * Returns what shows and redrives dead messages.
	 * @return shows, counts and redrives dead messages
	 */
	DeadLetterAdmin deadLetters();

	/**
	 * Returns the jobs that act on many messages.
	 * @return starts, lists and stops jobs
	 */
	BulkJobAdmin jobs();

	/**
	 * Returns what looks at topics and their groups, and acts on them.
	 * @return shows, replays and removes topics and groups
	 */
	TopicAdmin topics();

	/**
	 * Returns what shows and checks queues.
	 * @return counts, diagnoses and checks queues
	 */
	QueueInspector queues();

	/**
	 * Returns what acts on whole queues.
	 * @return pauses, closes, drains, empties and deletes queues
	 */
	QueueControl control();

	/**
	 * Returns the limits of queues that hold for all instances.
	 * @return reads and changes limits
	 */
	QueueLimitAdmin limits();

	/**
	 * Returns what looks at handlers while they work.
	 * @return lists and interrupts handlers, and finds where their code is
	 */
	HandlerAdmin handlers();

}
