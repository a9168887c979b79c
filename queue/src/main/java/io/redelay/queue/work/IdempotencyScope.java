package io.redelay.queue.work;

/**
 * The listeners among which only one handles the messages of an idempotency key; the
 * others acknowledge them unhandled.
 *
 * @since 0.1.0
 */
public enum IdempotencyScope {

	/**
	 * Those of the queue, or of the group of a topic.
	 */
	QUEUE,

	/**
	 * Those of the topic, in all its groups: of all instances that get a message, only
	 * one handles it.
	 */
	TOPIC

}
