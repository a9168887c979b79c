package io.redelay.queue;

/**
 * A message was not sent because its queue is closed for new messages.
 *
 * @since 0.1.0
 */
public class QueueClosedException extends MessageSendException {

	public QueueClosedException(String message) {
		super(message, null);
	}

}
