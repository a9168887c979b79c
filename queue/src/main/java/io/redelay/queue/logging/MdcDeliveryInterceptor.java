package io.redelay.queue.logging;

import java.util.List;
import java.util.Map;

import io.redelay.log.PlainText;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.listener.ThreadStateInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * Puts the queue, the listener, the id and the attempt of the message that is handled
 * into the MDC of the handler's thread, and the entries that came from the sender's MDC.
 * An entry in which the messages of a batch differ is left out.
 *
 * @since 0.1.0
 */
public final class MdcDeliveryInterceptor implements ThreadStateInterceptor {

	private static final String FIRST_ATTEMPT = "1";

	private final List<String> keys;

	/**
	 * Creates an interceptor.
	 * @param keys the entries that are carried from senders
	 */
	public MdcDeliveryInterceptor(List<String> keys) {
		this.keys = List.copyOf(keys);
	}

	@Override
	public Message<?> beforeHandling(Message<?> message) {
		MessageHeaders headers = message.getHeaders();
		boolean another = MDC.get(QueueMdc.LISTENER) != null;
		put(QueueMdc.QUEUE, headers.get(QueueHeaders.QUEUE));
		put(QueueMdc.LISTENER, headers.get(QueueHeaders.LISTENER));
		share(another, QueueMdc.ID, headers.get(QueueHeaders.ID));
		share(another, QueueMdc.ATTEMPT, headers.get(QueueHeaders.ATTEMPT));
		shareCarried(another, headers);
		return message;
	}

	/**
	 * Does what {@link #beforeHandling} does, without a message.
	 * @param queue the queue
	 * @param listener the id of the listener
	 * @param id the id of the message
	 * @param attempt the number of the delivery
	 * @param headers the headers of the sender
	 */
	public void beforeHandling(String queue, String listener, String id, int attempt, Map<String, Object> headers) {
		boolean another = MDC.get(QueueMdc.LISTENER) != null;
		put(QueueMdc.QUEUE, queue);
		put(QueueMdc.LISTENER, listener);
		share(another, QueueMdc.ID, id);
		share(another, QueueMdc.ATTEMPT, (attempt == 1) ? FIRST_ATTEMPT : Integer.toString(attempt));
		shareCarried(another, headers);
	}

	private void shareCarried(boolean another, Map<String, Object> headers) {
		for (String key : this.keys) {
			share(another, key, headers.get(QueueMdc.HEADER_PREFIX + key));
		}
	}

	@Override
	public void clearThreadState(Message<?> message) {
		clearThreadState();
	}

	/**
	 * Removes the entries.
	 */
	public void clearThreadState() {
		MDC.remove(QueueMdc.QUEUE);
		MDC.remove(QueueMdc.LISTENER);
		MDC.remove(QueueMdc.ID);
		MDC.remove(QueueMdc.ATTEMPT);
		for (String key : this.keys) {
			MDC.remove(key);
		}
	}

	/**
	 * Puts the value of the first message, and removes it if another message of the same
	 * batch has another value.
	 */
	private static void share(boolean another, String key, @Nullable Object value) {
		if (!another) {
			put(key, value);
		}
		else if (value == null || !PlainText.of(value.toString()).equals(MDC.get(key))) {
			MDC.remove(key);
		}
	}

	private static void put(String key, @Nullable Object value) {
		if (value != null) {
			MDC.put(key, PlainText.of(value.toString()));
		}
	}

}
