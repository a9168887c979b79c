package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * A message was not sent because its queue has as many messages as
 * {@code redelay.queue.queues.<name>.max-length} allows, or the line of its ordering key
 * as many as {@code redelay.queue.queues.<name>.ordering-key-max-length} or
 * {@code QueueAdmin.limits().change} allows. If a full queue drops its oldest messages,
 * those that may be dropped would not have made room.
 *
 * @since 0.1.0
 */
public class QueueFullException extends MessageSendException {

	private final @Nullable String orderingKey;

	/**
	 * Creates an exception for a queue that is full.
	 * @param message what was not sent, and why
	 */
	public QueueFullException(String message) {
		this(message, null);
	}

	/**
	 * Creates an exception.
	 * @param message what was not sent, and why
	 * @param orderingKey the ordering key whose line is full, or {@code null} if the
	 * queue is
	 */
	public QueueFullException(String message, @Nullable String orderingKey) {
		super(message, null);
		this.orderingKey = orderingKey;
	}

	/**
	 * Returns the ordering key whose line is full.
	 * @return the key, or {@code null} if the queue is full
	 */
	public @Nullable String orderingKey() {
		return this.orderingKey;
	}

}
