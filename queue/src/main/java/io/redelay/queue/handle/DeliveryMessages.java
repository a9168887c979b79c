package io.redelay.queue.handle;

import java.util.HashMap;
import java.util.Map;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.message.Envelope;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Creates the messages for handlers: the sender's payload and headers, and Redelay's own
 * headers, which no interceptor replaces.
 */
final class DeliveryMessages {

	private DeliveryMessages() {
	}

	/**
	 * Creates the message as it was sent, its payload not converted yet.
	 */
	static Message<?> create(DeliveryClaim claim, Acknowledgment acknowledgment) {
		Envelope envelope = claim.envelope();
		DeliveryHeaders headers = new DeliveryHeaders(envelope.headers());
		headers.own().put(MessageHeaders.CONTENT_TYPE, envelope.contentType());
		return create(envelope.payload(), headers, claim, acknowledgment);
	}

	/**
	 * Creates the message with which an interceptor replaced the sent one.
	 */
	static Message<?> replace(Message<?> replacement, DeliveryClaim claim, Acknowledgment acknowledgment) {
		if (replacement.getHeaders() instanceof DeliveryHeaders) {
			return replacement;
		}
		Map<String, Object> headers = new HashMap<>(replacement.getHeaders());
		headers.keySet().removeIf(DeliveryMessages::isOwn);
		headers.remove(MessageHeaders.ID);
		headers.remove(MessageHeaders.TIMESTAMP);
		claim.envelope().headers().forEach((name, value) -> {
			if (isOwn(name)) {
				headers.put(name, value);
			}
		});
		return create(replacement.getPayload(), new DeliveryHeaders(headers), claim, acknowledgment);
	}

	private static Message<?> create(Object payload, DeliveryHeaders created, DeliveryClaim claim,
			Acknowledgment acknowledgment) {
		Envelope envelope = claim.envelope();
		Map<String, Object> headers = created.own();
		headers.put(QueueHeaders.ID, claim.id());
		headers.put(QueueHeaders.UID, claim.uid());
		headers.put(QueueHeaders.QUEUE, claim.queue());
		headers.put(QueueHeaders.ATTEMPT, claim.attempt());
		headers.put(QueueHeaders.FAILURES, claim.failures());
		headers.put(QueueHeaders.CRASHES, claim.message().crashes());
		headers.put(QueueHeaders.SENT_AT, envelope.sentAt());
		headers.put(QueueHeaders.DUE_AT, envelope.dueAt());
		putIfGiven(headers, QueueHeaders.ORDERING_KEY, envelope.keys().ordering());
		putIfGiven(headers, QueueHeaders.FAIRNESS_KEY, envelope.keys().fairness());
		putIfGiven(headers, QueueHeaders.PRIORITY, envelope.keys().priority());
		if (!envelope.keys().tags().isEmpty()) {
			headers.put(QueueHeaders.TAGS, envelope.keys().tags());
		}
		putIfGiven(headers, QueueHeaders.PAYLOAD_TYPE, envelope.handling().payloadType());
		headers.put(QueueHeaders.LISTENER, claim.context().listener());
		headers.put(QueueHeaders.ACKNOWLEDGMENT, acknowledgment);
		return MessageBuilder.createMessage(payload, created);
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

		/**
		 * Returns the headers to add to, before the message is created.
		 */
		Map<String, Object> own() {
			return getRawHeaders();
		}

	}

}
