package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.Deduplication;
import io.redelay.queue.DeliveryLimits;
import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageTiming;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.limits.LoneSurrogates;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.support.IdTimestampMessageHeaderInitializer;
import org.springframework.messaging.support.MessageHeaderAccessor;

/**
 * Converts messages of the template to messages of the store, and refuses invalid ones.
 *
 * @param converter converts payloads
 * @param json the same, or {@code null} if it is another one; as long as it is original,
 * it converts without headers
 * @param codec writes envelopes
 * @param settings the settings of sends
 * @param log logs payloads, if that is configured
 */
record MessageWriter(MessageConverter converter, @Nullable JsonPayloadConverter json, EnvelopeCodec codec,
		SendSettings settings, @Nullable MessageLog log) {

	private static final IdTimestampMessageHeaderInitializer WITHOUT_ID = new IdTimestampMessageHeaderInitializer();

	static {
		WITHOUT_ID.setDisableIdGeneration();
	}

	MessageWriter(MessageConverter converter, EnvelopeCodec codec, SendSettings settings, @Nullable MessageLog log) {
		this(converter, (converter instanceof JsonPayloadConverter json) ? json : null, codec, settings, log);
	}

	/**
	 * Writes a message.
	 * @param queue the queue whose settings complete it
	 */
	NewMessage write(String uid, OutboundMessage given, Map<String, Object> headers, String queue) {
		String id = (given.id() != null) ? given.id() : uid;
		OutboundMessage message = DeduplicationSettings.complete(given, id, this.settings.deduplications().get(queue));
		OrderSettings orders = this.settings.order(queue);
		DeliveryOrder order = orders.complete(message, id);
		if (Boolean.TRUE.equals(order.deadHoldsKey()) && message.handling().deadLetterQueue() != null) {
			throw new MessageSendException(
					message + ": it is to hold its ordering key when it is dead, and cannot where"
							+ " it is forwarded to the queue '" + message.handling().deadLetterQueue()
							+ "'; leave out deadLetterQueue or deadHoldsKey",
					null);
		}
		MessageLog log = (this.log != null && this.log.isEnabled()) ? this.log : null;
		byte[] envelope = (log != null || this.json == null || !this.json.isOriginal()
				|| !isPlain(message, headers, order)) ? null : this.json.envelope(message.payload());
		Envelope contents = null;
		if (envelope == null) {
			try {
				contents = envelope(message, withResult(message, headers), order);
				envelope = this.codec.write(contents);
			}
			catch (EnvelopeException ex) {
				throw new MessageSendException(message + ": " + ex.getMessage(), ex);
			}
		}
		if (envelope.length > this.settings.maxMessageSize()) {
			throw new MessageSendException(
					message + " has " + envelope.length + " bytes, and the limit is " + this.settings.maxMessageSize()
							+ "; send a reference to the data, or raise redelay.queue.send.max-message-size",
					null);
		}
		if (log != null && contents != null) {
			log.sending(message.queue(), id, contents.payload(), contents.contentType());
		}
		MessageTiming timing = spread(timing(message, queue));
		return new NewMessage(uid, message.id(), timing, envelope, orders.keys(order, message.tags()),
				bounded(message.deduplication()), message.sending().durability(), null);
	}

	/**
	 * Returns whether the envelope of a message has nothing but the payload.
	 */
	private static boolean isPlain(OutboundMessage message, Map<String, Object> headers, DeliveryOrder order) {
		DeliveryLimits limits = message.limits();
		return message.id() == null && headers.isEmpty() && message.sending().resultTo() == null
				&& message.tags().isEmpty() && order.orderingKey() == null && order.fairnessKey() == null
				&& order.priority() == null && limits.maxAttempts() == null && limits.timeToLive() == null
				&& limits.deadline() == null && limits.expiryAction() != ExpiryAction.DROP
				&& !(message.deduplication() instanceof Deduplication.Aggregate)
				&& handling(message).equals(HandlingOptions.NONE);
	}

	/**
	 * A message that gathers payloads is limited like any message.
	 */
	private @Nullable Deduplication bounded(@Nullable Deduplication deduplication) {
		return (deduplication instanceof Deduplication.Aggregate aggregate
				&& aggregate.maxBytes() > this.settings.maxMessageSize())
						? aggregate.maxBytes((int) this.settings.maxMessageSize()) : deduplication;
	}

	private MessageTiming timing(OutboundMessage message, String queue) {
		Deduplication deduplication = message.deduplication();
		MessageTiming timing = message.timing();
		Duration delay = (deduplication != null) ? deduplication.waitTime() : null;
		if (delay == null && timing.delay() == null && timing.dueAt() == null) {
			delay = this.settings.delays().get(queue);
		}
		return (delay != null) ? new MessageTiming(delay, null, timing.spread()) : timing;
	}

	/**
	 * Chooses a time, each millisecond of a spread with the same probability, and once,
	 * so that a repeated send has the same due time.
	 */
	private static MessageTiming spread(MessageTiming timing) {
		if (timing.spread() == null) {
			return timing;
		}
		Duration later = Duration.ofMillis(ThreadLocalRandom.current().nextLong(timing.spread().toMillis() + 1));
		if (timing.dueAt() != null) {
			return new MessageTiming(null, timing.dueAt().plus(later), null);
		}
		Duration delay = (timing.delay() != null) ? timing.delay().plus(later) : later;
		return new MessageTiming(delay.isZero() ? null : delay, null, null);
	}

	private static Map<String, Object> withResult(OutboundMessage message, Map<String, Object> headers) {
		String instance = message.sending().resultTo();
		if (instance == null) {
			return headers;
		}
		Map<String, Object> extended = new LinkedHashMap<>(headers);
		extended.put(QueueHeaders.RESULT_TO, instance);
		return extended;
	}

	private Envelope envelope(OutboundMessage message, Map<String, Object> headers, DeliveryOrder order) {
		ConvertedPayload written = convert(message);
		byte[] payload = written.bytes();
		String type = written.contentType();
		boolean aggregate = message.deduplication() instanceof Deduplication.Aggregate;
		if (aggregate) {
			payload = this.codec.list(payload, type);
		}
		DeliveryLimits limits = message.limits();
		Envelope.Options options = Envelope.Options.of(message.id(), headers, limits.maxAttempts(),
				Envelope.Lifetime.of(limits.timeToLive(), limits.expiryAction() == ExpiryAction.DROP,
						limits.deadline()),
				Envelope.Keys.of(order.orderingKey(), order.fairnessKey(), order.priority(), message.tags()),
				handling(message), aggregate);
		return new Envelope(options, type, payload);
	}

	private static HandlingOptions handling(OutboundMessage message) {
		HandlingOptions handling = message.handling();
		if (handling.payloadType() != null) {
			return handling;
		}
		String name = HandlingOptions.payloadTypeOf(message.payload().getClass());
		try {
			return (name != null) ? handling.payloadType(name) : handling;
		}
		catch (IllegalArgumentException ex) {
			throw new MessageSendException(message + ": the @PayloadType of " + message.payload().getClass().getName()
					+ " cannot be its payload type: " + ex.getMessage(), ex);
		}
	}

	private ConvertedPayload convert(OutboundMessage message) {
		int half = (message.payload() instanceof String text) ? LoneSurrogates.firstIn(text) : -1;
		if (half >= 0) {
			throw new MessageSendException(
					message + ": its text has half a character, a lone surrogate, at the position " + half
							+ ", which UTF-8 cannot hold; correct the text, or send bytes",
					null);
		}
		Message<?> converted;
		try {
			if (this.json != null && this.json.isOriginal()) {
				return this.json.convert(message.payload());
			}
			converted = this.converter.toMessage(message.payload(), headers(message));
		}
		catch (RuntimeException ex) {
			throw new MessageSendException(message + ": its payload of the type "
					+ message.payload().getClass().getName() + " cannot be converted: " + ex.getMessage(), ex);
		}
		if (converted == null) {
			throw new MessageSendException(message + ": no MessageConverter takes a payload of the type "
					+ message.payload().getClass().getName(), null);
		}
		return ConvertedPayload.of(converted);
	}

	/**
	 * Headers that a converter can add to without copying them.
	 */
	private static MessageHeaders headers(OutboundMessage message) {
		MessageHeaderAccessor accessor = new MessageHeaderAccessor();
		WITHOUT_ID.initHeaders(accessor);
		accessor.setLeaveMutable(true);
		accessor.copyHeaders(message.headers());
		return accessor.getMessageHeaders();
	}

}
