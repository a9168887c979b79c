package io.redelay.queue.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;

import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.MessageDeadline;
import io.redelay.queue.limits.LoneSurrogates;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes envelopes, and refuses those that no listener could read.
 * <p>
 * Safe for use by many threads.
 */
final class EnvelopeWriter {

	private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(E[+-]?\\d+)?");

	/**
	 * Reads the payload by itself, which is one level deeper in the envelope.
	 */
	private static final JsonMapper PAYLOAD_READER = EnvelopeFormat.mapper(EnvelopeFormat.MAX_DEPTH);

	private final JsonMapper writer = JsonMapper.shared();

	byte[] write(Envelope envelope) {
		byte[] payload = envelope.payload();
		boolean json = envelope.isJson() && isJson(payload);
		if (json && envelope.options().equals(Envelope.Options.NONE)) {
			return plain(payload);
		}
		ByteArrayOutputStream out = new ByteArrayOutputStream(payload.length + 64);
		write(envelope, json, out);
		return out.toByteArray();
	}

	private static byte[] plain(byte[] payload) {
		int start = EnvelopeFormat.PLAIN.length;
		byte[] envelope = Arrays.copyOf(EnvelopeFormat.PLAIN, start + payload.length + 1);
		System.arraycopy(payload, 0, envelope, start, payload.length);
		envelope[envelope.length - 1] = '}';
		return envelope;
	}

	/**
	 * A list of one payload, to which the scripts add others.
	 * @throws EnvelopeException if the payload is no JSON
	 */
	byte[] list(byte[] payload, String contentType) {
		if (!contentType.equals(EnvelopeFormat.JSON) || !isJson(payload)) {
			throw new EnvelopeException("its payload cannot gather with others in one message, for it is no JSON but "
					+ contentType + "; send an object, not a text or bytes", null);
		}
		ByteArrayOutputStream out = new ByteArrayOutputStream(payload.length + 2);
		out.write('[');
		out.writeBytes(payload);
		out.write(']');
		return out.toByteArray();
	}

	private void write(Envelope envelope, boolean jsonPayload, ByteArrayOutputStream out) {
		MessageDeadline deadline = envelope.lifetime().deadline();
		try (JsonGenerator json = this.writer.createGenerator(out)) {
			json.writeStartObject();
			json.writeNumberProperty("v", EnvelopeFormat.VERSION);
			// First, as the scripts look only there.
			writeEnds(json, envelope.lifetime());
			if (envelope.options().rounds() > 0) {
				json.writeNumberProperty("redriven", envelope.options().rounds());
			}
			if (envelope.aggregate()) {
				json.writeBooleanProperty("aggregate", true);
			}
			writeText(json, "id", envelope.id());
			writeNumber(json, "maxAttempts", envelope.maxAttempts());
			if (envelope.lifetime().dropExpired()) {
				json.writeBooleanProperty("dropExpired", true);
			}
			if (deadline != null && deadline.action() == ExpiryAction.DROP) {
				json.writeBooleanProperty("dropOverdue", true);
			}
			writeKeys(json, envelope.keys());
			writeHandling(json, envelope.handling());
			writeHeaders(json, envelope.headers());
			if (jsonPayload) {
				json.writeName("payload");
				json.writeRawValue("");
				json.flush();
				out.writeBytes(envelope.payload());
			}
			else {
				writeOther(json, envelope.contentType(), envelope.payload());
			}
			json.writeEndObject();
		}
	}

	private static void writeEnds(JsonGenerator json, Envelope.Lifetime lifetime) {
		MessageDeadline deadline = lifetime.deadline();
		if (lifetime.timeToLive() != null) {
			json.writeNumberProperty("timeToLive", lifetime.timeToLive().plusNanos(999_999).toMillis());
		}
		if (deadline != null && deadline.after() != null) {
			json.writeNumberProperty("deadlineAfter", deadline.after().plusNanos(999_999).toMillis());
		}
		if (deadline != null && deadline.at() != null) {
			json.writeNumberProperty("deadline", deadline.at().plusNanos(999_999).toEpochMilli());
		}
	}

	private static void writeKeys(JsonGenerator json, Envelope.Keys keys) {
		writeText(json, "orderingKey", keys.ordering());
		writeText(json, "fairnessKey", keys.fairness());
		writeNumber(json, "priority", keys.priority());
		if (!keys.tags().isEmpty()) {
			json.writeArrayPropertyStart("tags");
			keys.tags().forEach(json::writeString);
			json.writeEndArray();
		}
	}

	private static void writeHandling(JsonGenerator json, HandlingOptions handling) {
		writeText(json, "payloadType", handling.payloadType());
		if (handling.maxHandlingTime() != null) {
			json.writeNumberProperty("maxHandlingTime", handling.maxHandlingTime().plusNanos(999_999).toMillis());
		}
		writeText(json, "deadLetterQueue", handling.deadLetterQueue());
		MessageBackoff backoff = handling.backoff();
		if (backoff != null) {
			json.writeObjectPropertyStart("backoff");
			json.writeNumberProperty("initialInterval", backoff.initialInterval().plusNanos(999_999).toMillis());
			json.writeNumberProperty("multiplier", backoff.multiplier());
			json.writeNumberProperty("maxInterval", backoff.maxInterval().plusNanos(999_999).toMillis());
			json.writeNumberProperty("jitter", backoff.jitter());
			json.writeEndObject();
		}
	}

	private static void writeText(JsonGenerator json, String name, @Nullable String value) {
		if (value != null) {
			json.writeStringProperty(name, value);
		}
	}

	private static void writeNumber(JsonGenerator json, String name, @Nullable Integer value) {
		if (value != null) {
			json.writeNumberProperty(name, value);
		}
	}

	private static void writeHeaders(JsonGenerator json, Map<String, Object> headers) {
		if (headers.isEmpty()) {
			return;
		}
		json.writeObjectPropertyStart("headers");
		headers.forEach((name, value) -> {
			checkHeader(name, value);
			json.writeName(name);
			json.writePOJO(value);
		});
		json.writeEndObject();
	}

	private static void checkHeader(String name, Object value) {
		if (name.length() > EnvelopeFormat.MAX_NAME_LENGTH) {
			throw new EnvelopeException("the name of a header has " + name.length() + " characters, and the limit is "
					+ EnvelopeFormat.MAX_NAME_LENGTH + ": '" + name.substring(0, 50) + "…'", null);
		}
		if (LoneSurrogates.firstIn(name) >= 0) {
			throw new EnvelopeException("the name of a header has half a character, a lone surrogate: '" + name + "'",
					null);
		}
		if (value instanceof Number number && !isShort(number)) {
			String written = number.toString();
			if (written.length() > EnvelopeFormat.MAX_NUMBER_LENGTH || !NUMBER.matcher(written).matches()) {
				throw new EnvelopeException("the header '" + name + "' is a " + number.getClass().getName()
						+ " that cannot be written as a JSON number of up to " + EnvelopeFormat.MAX_NUMBER_LENGTH
						+ " characters", null);
			}
		}
	}

	private static boolean isShort(Number number) {
		return number instanceof Integer || number instanceof Long || number instanceof Double
				|| number instanceof Float || number instanceof Short || number instanceof Byte;
	}

	private static void writeOther(JsonGenerator json, String type, byte[] payload) {
		json.writeStringProperty("type", type);
		if (type.equals(EnvelopeFormat.TEXT)) {
			json.writeStringProperty("payload", new String(payload, StandardCharsets.UTF_8));
		}
		else {
			json.writeStringProperty("base64", Base64.getEncoder().encodeToString(payload));
		}
	}

	/**
	 * Returns whether the bytes match their type: a converter may compress or encrypt and
	 * still call them JSON.
	 * @throws EnvelopeException if it is JSON beyond the limits
	 */
	private boolean isJson(byte[] payload) {
		if (payload.length == 0 || payload[0] <= 0 || (payload.length > 1 && payload[1] == 0)) {
			// Empty, a byte order mark, or another encoding than UTF-8.
			return false;
		}
		if (new JsonScan(payload).isJson()) {
			return true;
		}
		try (JsonParser json = PAYLOAD_READER.createParser(payload)) {
			if (json.nextToken() == null) {
				return false;
			}
			json.skipChildren();
			return json.nextToken() == null;
		}
		catch (StreamConstraintsException ex) {
			throw new EnvelopeException("its JSON is nested more than " + EnvelopeFormat.MAX_DEPTH
					+ " levels deep, or has a number of more than " + EnvelopeFormat.MAX_NUMBER_LENGTH
					+ " or a name of more than " + EnvelopeFormat.MAX_NAME_LENGTH
					+ " characters, which no listener could read; send it as text or as bytes", ex);
		}
		catch (JacksonException ex) {
			return false;
		}
	}

}
