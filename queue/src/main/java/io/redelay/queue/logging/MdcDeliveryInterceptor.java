package io.redelay.queue.logging;

import java.util.List;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.listener.ThreadStateInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.messaging.Message;

/**
 * Puts the queue, the listener, the id and the attempt of the message that is handled
 * into the MDC of the handler's thread, and the entries that came from the sender's MDC.
 * An entry in which the messages of a batch differ is left out.
 *
 * @since 0.1.0
 */
public final class MdcDeliveryInterceptor implements ThreadStateInterceptor {

	private static final List<String> OWN_KEYS = List.of(QueueMdc.QUEUE, QueueMdc.LISTENER, QueueMdc.ID,
			QueueMdc.ATTEMPT);

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
		boolean another = MDC.get(QueueMdc.LISTENER) != null;
		put(QueueMdc.QUEUE, message.getHeaders().get(QueueHeaders.QUEUE));
		put(QueueMdc.LISTENER, message.getHeaders().get(QueueHeaders.LISTENER));
		share(another, QueueMdc.ID, message.getHeaders().get(QueueHeaders.ID));
		share(another, QueueMdc.ATTEMPT, message.getHeaders().get(QueueHeaders.ATTEMPT));
		for (String key : this.keys) {
			share(another, key, message.getHeaders().get(QueueMdc.HEADER_PREFIX + key));
		}
		return message;
	}

	@Override
	public void clearThreadState(Message<?> message) {
		OWN_KEYS.forEach(MDC::remove);
		this.keys.forEach(MDC::remove);
	}

	/**
	 * Puts the value of the first message, and removes it if another message of the same
	 * batch has another value.
	 */
	private static void share(boolean another, String key, @Nullable Object value) {
		if (!another) {
			put(key, value);
		}
		else if (value == null || !value.toString().equals(MDC.get(key))) {
			MDC.remove(key);
		}
	}

	private static void put(String key, @Nullable Object value) {
		if (value != null) {
			MDC.put(key, value.toString());
		}
	}

}
