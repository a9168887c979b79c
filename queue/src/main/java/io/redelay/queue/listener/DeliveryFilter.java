package io.redelay.queue.listener;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;

import org.springframework.messaging.Message;

/**
 * Decides which messages a listener handles; a bean that {@link QueueListener#filter()}
 * names. A message that it does not accept is acknowledged without its handling, and
 * counted as {@code filtered}.
 * <p>
 * It is asked about each message of a batch, before the batch is handled, and once more
 * when a message is delivered again. It is called on the handler's thread, and must be
 * safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DeliveryFilter {

	/**
	 * Whether a message is handled.
	 * @param message the message with its headers ({@link QueueHeaders}), its payload as
	 * it was sent, a {@code byte[]}, or as an interceptor made it
	 * @return {@code false} to have the message acknowledged unhandled
	 * @throws Exception if that cannot be decided: a failure of the message, as if its
	 * handler had thrown it
	 */
	boolean accepts(Message<?> message) throws Exception;

}
