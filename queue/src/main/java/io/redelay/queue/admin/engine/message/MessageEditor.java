package io.redelay.queue.admin.engine.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;

import io.redelay.queue.DeathReason;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.limits.LoneSurrogates;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.StoredMessage;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the changes of waiting messages, and refuses those to a message that no sender
 * could have sent.
 *
 * @since 0.1.0
 */
public record MessageEditor(EnvelopeCodec codec, EditRules rules, FailedAttemptCodec attempts, String instance) {

	private static final String JSON = "application/json";

	private static final String TEXT = "text/plain";

	private static final JsonMapper JSON_VALUE = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	/**
	 * Makes the change of a message.
	 * @param partition where it is
	 * @param message the message as it was found
	 * @param change the change that was asked for
	 * @return the change to its envelope
	 * @throws IllegalArgumentException if the change is impossible
	 */
	public MessageEdit edit(String partition, StoredMessage message, MessageChange change) {
		String queue = PartitionName.queueOf(partition);
		Envelope envelope = read(message);
		int failures = Objects.requireNonNullElse(change.failures(), message.failures());
		Integer maxAttempts = (change.attempts() != null) ? (Integer) (failures + change.attempts())
				: envelope.maxAttempts();
		Integer priority = change.priority();
		if (priority != null && !this.rules.mayHavePriorities(queue)) {
			throw new IllegalArgumentException("'priority' cannot be heeded: the queue '" + queue
					+ "' has several partitions, and a less urgent message of another partition may go before it");
		}
		Envelope.Keys keys = envelope.keys();
		Envelope.Keys others = (priority != null)
				? Envelope.Keys.of(keys.ordering(), keys.fairness(), priority, keys.tags()) : keys;
		Envelope changed = new Envelope(envelope.options().with(maxAttempts, others), envelope.contentType(),
				payload(envelope, change));
		int former = Objects.requireNonNullElse(keys.priority(), MessageKeys.DEFAULT_PRIORITY);
		return new MessageEdit(message, change.failures(), priority, former, this.rules.ageing(queue),
				isSame(envelope, changed) ? null : write(changed, message, change.payload() != null));
	}

	/**
	 * Plans the burial of messages.
	 * @param reason why they are not to be handled
	 * @return gives what each of them died of
	 */
	public OptimisticCommands.Planner burial(String reason) {
		return (message, time) -> this.attempts.unhandled(time, this.instance, DeathReason.BURIED, reason,
				message.failures(), message.crashes());
	}

	/**
	 * Checks a new payload, as far as possible without the message.
	 * @param contentType the content type of the message
	 * @param payload the new payload
	 * @throws IllegalArgumentException if no such message can have it
	 */
	public static void check(String contentType, String payload) {
		if (LoneSurrogates.firstIn(payload) >= 0) {
			throw new IllegalArgumentException("'payload' has half a character, a lone surrogate");
		}
		if (contentType.equals(JSON)) {
			if (!isJson(payload)) {
				throw new IllegalArgumentException(
						"'payload' must be one JSON value, for the message has " + contentType);
			}
		}
		else if (!contentType.equals(TEXT)) {
			decode(contentType, payload);
		}
	}

	private static boolean isJson(String payload) {
		try {
			return !JSON_VALUE.readTree(payload).isMissingNode();
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	private static byte[] decode(String contentType, String payload) {
		try {
			return Base64.getDecoder().decode(payload);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'payload' must be base64, for the message has " + contentType + ": " + ex.getMessage(), ex);
		}
	}

	private static boolean isSame(Envelope envelope, Envelope changed) {
		return Objects.equals(envelope.maxAttempts(), changed.maxAttempts()) && envelope.keys().equals(changed.keys())
				&& Arrays.equals(envelope.payload(), changed.payload());
	}

	private Envelope read(StoredMessage message) {
		try {
			return this.codec.read(message.envelope());
		}
		catch (EnvelopeException ex) {
			throw new IllegalArgumentException("the message '" + message.id() + "' cannot be read: " + ex.getMessage(),
					ex);
		}
	}

	private static byte[] payload(Envelope envelope, MessageChange change) {
		String payload = change.payload();
		if (payload == null) {
			return envelope.payload();
		}
		check(envelope.contentType(), payload);
		if (envelope.aggregate()) {
			throw new IllegalArgumentException("'payload' cannot be changed: the payloads of several messages are"
					+ " gathered in this one, and more may come");
		}
		if (envelope.contentType().equals(JSON) || envelope.contentType().equals(TEXT)) {
			return payload.getBytes(StandardCharsets.UTF_8);
		}
		return decode(envelope.contentType(), payload);
	}

	private byte[] write(Envelope changed, StoredMessage message, boolean anew) {
		byte[] written;
		try {
			written = this.codec.write(changed);
		}
		catch (EnvelopeException ex) {
			throw new IllegalArgumentException("'payload' cannot be sent: " + ex.getMessage(), ex);
		}
		String text = new String(written, StandardCharsets.UTF_8);
		if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), written)) {
			throw new IllegalArgumentException(
					"the message '" + message.id() + "' cannot be changed: its payload is not UTF-8");
		}
		if (anew && changed.contentType().equals(JSON) && !isValue(text, changed)) {
			throw new IllegalArgumentException(
					"'payload' must be one JSON value, for the message has " + changed.contentType());
		}
		long limit = Math.max(this.rules.maxMessageSize(), message.envelope().length);
		if (written.length > limit) {
			throw new IllegalArgumentException("'payload' is too long: the message would have " + written.length
					+ " bytes, and the limit is " + limit + " (redelay.queue.send.max-message-size)");
		}
		return written;
	}

	/**
	 * Whether the payload is a JSON value in the envelope; others are written as base64.
	 */
	private static boolean isValue(String written, Envelope changed) {
		return written.endsWith("\"payload\":" + new String(changed.payload(), StandardCharsets.UTF_8) + "}");
	}

}
