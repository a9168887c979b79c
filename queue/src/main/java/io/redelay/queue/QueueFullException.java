package io.redelay.queue;

/**
 * A message was not sent because its queue has as many messages as
 * {@code redelay.queue.queues.<name>.max-length} allows. If a full queue drops its oldest
 * messages, those that may be dropped would not have made room.
 *
 * @since 0.1.0
 */
public class QueueFullException extends MessageSendException {

	public QueueFullException(String message) {
		super(message, null);
	}

}
