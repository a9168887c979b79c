package io.redelay.queue.listener;

import java.util.HashMap;
import java.util.Map;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.store.Envelope;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.util.CollectionUtils;

/**
 * Creates the messages that handlers are given: the sender's payload and headers, and
 * Redelay's own headers, which no interceptor replaces.
 */
final class DeliveryMessages {

	/**
	 * How many headers a message has beside its sender's, roughly.
	 */
	private static final int OWN_HEADERS = 12;

	private DeliveryMessages() {
	}

	/**
	 * Creates the message as it was sent, its payload not converted yet.
	 */
	static Message<?> create(Delivery delivery, Envelope envelope) {
		Map<String, Object> headers = CollectionUtils.newHashMap(envelope.headers().size() + OWN_HEADERS);
		headers.putAll(envelope.headers());
		headers.put(MessageHeaders.CONTENT_TYPE, envelope.contentType());
		return create(envelope.payload(), headers, delivery, envelope);
	}

	/**
	 * Creates the message that an interceptor put in place of what was sent.
	 */
	static Message<?> replace(Message<?> replacement, Delivery delivery, Envelope envelope) {
		if (replacement.getHeaders() instanceof DeliveryHeaders) {
			return replacement;
		}
		Map<String, Object> headers = new HashMap<>(replacement.getHeaders());
		headers.keySet().removeIf(DeliveryMessages::isOwn);
		headers.remove(MessageHeaders.ID);
		headers.remove(MessageHeaders.TIMESTAMP);
		envelope.headers().forEach((name, value) -> {
			if (isOwn(name)) {
				headers.put(name, value);
			}
		});
		return create(replacement.getPayload(), headers, delivery, envelope);
	}

	private static Message<?> create(Object payload, Map<String, Object> headers, Delivery delivery,
			Envelope envelope) {
		headers.put(QueueHeaders.ID, delivery.id());
		headers.put(QueueHeaders.UID, delivery.uid());
		headers.put(QueueHeaders.QUEUE, delivery.queue());
		headers.put(QueueHeaders.ATTEMPT, delivery.attempt());
		headers.put(QueueHeaders.FAILURES, delivery.failures());
		headers.put(QueueHeaders.CRASHES, delivery.crashes());
		headers.put(QueueHeaders.SENT_AT, envelope.sentAt());
		headers.put(QueueHeaders.DUE_AT, envelope.dueAt());
		putIfGiven(headers, QueueHeaders.ORDERING_KEY, envelope.keys().ordering());
		putIfGiven(headers, QueueHeaders.FAIRNESS_KEY, envelope.keys().fairness());
		putIfGiven(headers, QueueHeaders.PRIORITY, envelope.keys().priority());
		putIfGiven(headers, QueueHeaders.PAYLOAD_TYPE, envelope.handling().payloadType());
		headers.put(QueueHeaders.LISTENER, delivery.listener());
		headers.put(QueueHeaders.ACKNOWLEDGMENT, delivery);
		return MessageBuilder.createMessage(payload, new DeliveryHeaders(headers));
	}

	private static void putIfGiven(Map<String, Object> headers, String name, @Nullable Object value) {
		if (value != null) {
			headers.put(name, value);
		}
	}

	private static boolean isOwn(String header) {
		return header.startsWith(QueueHeaders.PREFIX);
	}

	/**
	 * Headers without an id and a time of their own, which would cost time to create.
	 */
	private static final class DeliveryHeaders extends MessageHeaders {

		DeliveryHeaders(Map<String, Object> headers) {
			super(headers, ID_VALUE_NONE, -1L);
		}

	}

}
