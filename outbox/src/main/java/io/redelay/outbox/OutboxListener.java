package io.redelay.outbox;

/**
 * Is notified when the relays of this instance have sent messages, or failed to. Its
 * exceptions are logged and change nothing.
 *
 * @since 0.1.0
 */
public interface OutboxListener {

	/**
	 * Called when messages were sent and are no longer in the outbox.
	 * @param destination the queue or the topic
	 * @param count how many
	 */
	default void onRelayed(String destination, int count) {
	}

	/**
	 * Called when messages could not be sent, for a reason other than that Redis does not
	 * answer. They stay in the outbox.
	 * @param destination the queue or the topic
	 * @param count how many
	 * @param failure why
	 */
	default void onFailed(String destination, int count, Throwable failure) {
	}

}
