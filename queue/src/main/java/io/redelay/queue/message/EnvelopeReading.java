package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.MessageDeadline;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads one envelope. Properties that this version does not know are skipped.
 */
final class EnvelopeReading {

	private final JsonParser json;

	private final byte[] bytes;

	private Instant sentAt = Instant.EPOCH;

	private @Nullable Instant dueAt;

	private @Nullable String id;

	private Map<String, Object> headers = Map.of();

	private @Nullable Integer maxAttempts;

	private @Nullable Duration timeToLive;

	private boolean dropExpired;

	private @Nullable Duration deadlineAfter;

	private @Nullable Instant deadline;

	private boolean dropOverdue;

	private boolean aggregate;

	private @Nullable String orderingKey;

	private @Nullable String fairnessKey;

	private @Nullable Integer priority;

	private Set<String> tags = Set.of();

	private @Nullable String payloadType;

	private @Nullable Duration maxHandlingTime;

	private @Nullable MessageBackoff backoff;

	private @Nullable String deadLetterQueue;

	private @Nullable String type;

	private int rounds;

	/**
	 * The bytes that the payload is in, from its start to its end; {@code null} until it
	 * was read.
	 */
	private byte @Nullable [] payload;

	private int start;

	private int end;

	/**
	 * Whether the payload ends the envelope, so that nothing else is to be read.
	 */
	private boolean complete;

	EnvelopeReading(JsonParser json, byte[] bytes) {
		this.json = json;
		this.bytes = bytes;
	}

	Envelope envelope() {
		for (String name = this.json.nextName(); name != null; name = this.complete ? null : this.json.nextName()) {
			this.json.nextToken();
			property(name);
		}
		if (this.payload == null) {
			throw new EnvelopeException("The envelope has no payload", null);
		}
		Envelope.Options options = Envelope.Options.of(this.id, this.headers, this.maxAttempts,
				Envelope.Lifetime.of(this.timeToLive, this.dropExpired, deadline()),
				Envelope.Keys.of(this.orderingKey, this.fairnessKey, this.priority, this.tags),
				new HandlingOptions(this.payloadType, this.backoff, this.maxHandlingTime, this.deadLetterQueue),
				this.aggregate, this.rounds);
		return new Envelope(options, (this.type != null) ? this.type : EnvelopeFormat.JSON, this.payload, this.start,
				this.end, this.sentAt, (this.dueAt != null) ? this.dueAt : this.sentAt);
	}

	private void property(String name) {
		switch (name) {
			case "v" -> checkVersion(this.json.getIntValue());
			case "sentAt" -> this.sentAt = Instant.ofEpochMilli(this.json.getLongValue());
			case "dueAt" -> this.dueAt = Instant.ofEpochMilli(this.json.getLongValue());
			case "id" -> this.id = this.json.getString();
			case "maxAttempts" -> this.maxAttempts = this.json.getIntValue();
			case "timeToLive" -> this.timeToLive = Duration.ofMillis(this.json.getLongValue());
			case "deadline" -> this.deadline = Instant.ofEpochMilli(this.json.getLongValue());
			case "deadlineAfter" -> this.deadlineAfter = Duration.ofMillis(this.json.getLongValue());
			case "dropOverdue" -> this.dropOverdue = this.json.getBooleanValue();
			case "dropExpired" -> this.dropExpired = this.json.getBooleanValue();
			case "redriven" -> this.rounds = this.json.getIntValue();
			case "aggregate" -> this.aggregate = this.json.getBooleanValue();
			case "orderingKey" -> this.orderingKey = this.json.getString();
			case "fairnessKey" -> this.fairnessKey = this.json.getString();
			case "priority" -> this.priority = this.json.getIntValue();
			case "tags" -> this.tags = tags();
			case "payloadType" -> this.payloadType = this.json.getString();
			case "maxHandlingTime" -> this.maxHandlingTime = Duration.ofMillis(this.json.getLongValue());
			case "deadLetterQueue" -> this.deadLetterQueue = this.json.getString();
			case "backoff" -> this.backoff = backoff();
			case "type" -> this.type = this.json.getString();
			case "headers" -> this.headers = headers();
			case "payload" -> payload();
			case "base64" -> payload(this.json.getBinaryValue());
			default -> this.json.skipChildren();
		}
	}

	private Set<String> tags() {
		Set<String> tags = new LinkedHashSet<>();
		if (this.json.currentToken() != JsonToken.START_ARRAY) {
			this.json.skipChildren();
			return tags;
		}
		while (this.json.nextToken() != JsonToken.END_ARRAY) {
			if (this.json.currentToken() == JsonToken.VALUE_STRING) {
				tags.add(this.json.getString());
			}
			else {
				this.json.skipChildren();
			}
		}
		return Collections.unmodifiableSet(tags);
	}

	private @Nullable MessageDeadline deadline() {
		ExpiryAction action = this.dropOverdue ? ExpiryAction.DROP : ExpiryAction.BURY;
		if (this.deadline != null) {
			return new MessageDeadline(null, this.deadline, action);
		}
		return (this.deadlineAfter != null) ? new MessageDeadline(this.deadlineAfter, null, action) : null;
	}

	private static void checkVersion(int version) {
		if (version > EnvelopeFormat.VERSION) {
			throw new EnvelopeException(
					"The envelope has the version " + version + ", and this application reads up to "
							+ EnvelopeFormat.VERSION + ": it was sent by a newer Redelay",
					null);
		}
	}

	private MessageBackoff backoff() {
		Duration initialInterval = Duration.ZERO;
		Duration maxInterval = Duration.ZERO;
		double multiplier = 1;
		double jitter = 0;
		for (String name = this.json.nextName(); name != null; name = this.json.nextName()) {
			this.json.nextToken();
			switch (name) {
				case "initialInterval" -> initialInterval = Duration.ofMillis(this.json.getLongValue());
				case "maxInterval" -> maxInterval = Duration.ofMillis(this.json.getLongValue());
				case "multiplier" -> multiplier = this.json.getDoubleValue();
				case "jitter" -> jitter = this.json.getDoubleValue();
				default -> this.json.skipChildren();
			}
		}
		return new MessageBackoff(initialInterval, multiplier, maxInterval, jitter);
	}

	private Map<String, Object> headers() {
		Map<String, Object> headers = new HashMap<>();
		for (String name = this.json.nextName(); name != null; name = this.json.nextName()) {
			switch (this.json.nextToken()) {
				case VALUE_STRING -> headers.put(name, this.json.getString());
				case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> headers.put(name, this.json.getNumberValue());
				case VALUE_TRUE, VALUE_FALSE -> headers.put(name, this.json.getBooleanValue());
				default -> this.json.skipChildren();
			}
		}
		return headers;
	}

	/**
	 * Returns the headers, each as the text that its JSON has. Reads up to their end, or
	 * up to the payload, before which they are.
	 */
	static Map<String, String> headerTexts(JsonParser json) {
		Map<String, String> texts = new HashMap<>();
		for (String name = json.nextName(); name != null; name = json.nextName()) {
			json.nextToken();
			if (name.equals("payload") || name.equals("base64")) {
				break;
			}
			if (!name.equals("headers")) {
				json.skipChildren();
				continue;
			}
			for (String header = json.nextName(); header != null; header = json.nextName()) {
				JsonToken token = json.nextToken();
				if (token.isScalarValue() && token != JsonToken.VALUE_NULL) {
					texts.put(header, json.getString());
				}
				else {
					json.skipChildren();
				}
			}
			break;
		}
		return texts;
	}

	private void payload() {
		if (this.type != null && this.json.currentToken() == JsonToken.VALUE_STRING) {
			payload(this.json.getString().getBytes(StandardCharsets.UTF_8));
			return;
		}
		this.payload = this.bytes;
		this.start = (int) this.json.currentTokenLocation().getByteOffset();
		this.end = LastValue.end(this.bytes, this.start);
		this.complete = this.end > 0;
		if (!this.complete) {
			this.end = skipValue(this.json);
		}
	}

	private void payload(byte[] whole) {
		this.payload = whole;
		this.start = 0;
		this.end = whole.length;
	}

	/**
	 * Returns the bytes of the value at the parser, and reads it to its end.
	 */
	static byte[] value(JsonParser json, byte[] bytes) {
		int start = (int) json.currentTokenLocation().getByteOffset();
		return Arrays.copyOfRange(bytes, start, skipValue(json));
	}

	/**
	 * Reads the value at the parser to its end.
	 * @return where it ends
	 */
	private static int skipValue(JsonParser json) {
		if (json.currentToken().isScalarValue()) {
			json.finishToken();
		}
		else {
			json.skipChildren();
		}
		return (int) json.currentLocation().getByteOffset();
	}

}
