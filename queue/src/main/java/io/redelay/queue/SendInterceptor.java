package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Intercepts each send. All beans of this type are called, in their order: the first one
 * is called first before a send, and last after it.
 * <p>
 * Must be safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface SendInterceptor {

	/**
	 * Called on the sender's thread when a message is to be sent, before its payload is
	 * converted: inside a transaction when {@code send} is called, not when it commits.
	 * @param message the message, as the interceptors before left it
	 * @return the message to send, which may be another one, for another queue too
	 * @throws RuntimeException to refuse the message: the sender gets this exception.
	 * Nothing of a {@link QueueOperations#sendAll sendAll} is sent then
	 */
	default OutboundMessage beforeSend(OutboundMessage message) {
		return message;
	}

	/**
	 * Called when it is known what became of a message, for each for which
	 * {@link #beforeSend} returned: after the commit, if the message waited for one, or
	 * after the rollback. Called on the thread that waits for the send, or on one on
	 * which the futures of {@link QueueOperations#sendAsync sendAsync} complete, and
	 * before they do. What it throws is logged and changes nothing.
	 * @param message the message, as it was to be sent in the end
	 * @param result what became of it, if it was sent
	 * @param failure why it was not sent, or that the outcome is unknown
	 */
	default void afterSend(OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
	}

}
