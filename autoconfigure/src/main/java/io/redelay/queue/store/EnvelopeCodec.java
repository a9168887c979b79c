package io.redelay.queue.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

import io.redelay.queue.limits.LoneSurrogates;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes an envelope as one JSON object that a person can read, and reads it. A JSON
 * payload is a value in it, text is a string, and all else is base64. <pre>
 * {"sentAt":1795176000000,"dueAt":1795176003000,"v":1,"id":"order-7","headers":{"tenant":"a"},"payload":{"order":7}}
 * </pre> {@code sentAt} and {@code dueAt} are put in by the store when it takes the
 * message; {@code dueAt} is left out if it is the same.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class EnvelopeCodec {

	private static final int VERSION = 1;

	private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(E[+-]?\\d+)?");

	private static final String JSON = "application/json";

	private static final String TEXT = "text/plain";

	/**
	 * How deep a JSON payload may be nested.
	 */
	public static final int MAX_DEPTH = 500;

	/**
	 * How many characters a number may have, in a JSON payload or in a header.
	 */
	public static final int MAX_NUMBER_LENGTH = 1000;

	/**
	 * How many characters a name may have, in a JSON payload or of a header.
	 */
	public static final int MAX_NAME_LENGTH = 50_000;

	/**
	 * What an envelope begins with that has nothing but a JSON payload, as most have.
	 */
	private static final byte[] PLAIN = ("{\"v\":" + VERSION + ",\"payload\":").getBytes(StandardCharsets.UTF_8);

	private static final byte[] EXPIRING = ("{\"v\":" + VERSION + ",\"timeToLive\":").getBytes(StandardCharsets.UTF_8);

	private final JsonMapper writer = JsonMapper.shared();

	/**
	 * Its buffers are a thread's own: they are small, so that a new thread gets them for
	 * less than it costs threads to share them.
	 */
	private final JsonMapper reader = reader(MAX_DEPTH + 1);

	/**
	 * Reads what an envelope is to hold, which is one level deeper in there.
	 */
	private final JsonMapper payloadReader = reader(MAX_DEPTH);

	private static JsonMapper reader(int maxDepth) {
		StreamReadConstraints limits = StreamReadConstraints.builder()
			.maxNestingDepth(maxDepth)
			.maxNumberLength(MAX_NUMBER_LENGTH)
			.maxNameLength(MAX_NAME_LENGTH)
			.maxStringLength(Integer.MAX_VALUE)
			.maxDocumentLength(-1)
			.maxTokenCount(-1)
			.build();
		return new JsonMapper(JsonFactory.builder()
			.recyclerPool(JsonRecyclerPools.threadLocalPool())
			.streamReadConstraints(limits)
			.build());
	}

	/**
	 * Writes an envelope, without its times.
	 * @param envelope the envelope
	 * @return a JSON object as UTF-8
	 * @throws EnvelopeException if it would be one that {@link #read} cannot read
	 */
	public byte[] write(Envelope envelope) {
		byte[] payload = envelope.payload();
		boolean json = envelope.contentType().equals(JSON) && isJson(payload);
		ByteArrayOutputStream out = new ByteArrayOutputStream(
				payload.length + (isPlain(envelope) ? PLAIN.length + 1 : 64));
		if (json && isPlain(envelope)) {
			out.writeBytes(PLAIN);
			out.writeBytes(payload);
			out.write('}');
		}
		else {
			write(envelope, json, out);
		}
		return out.toByteArray();
	}

	/**
	 * Whether an envelope that {@link #write} wrote limits the time to live.
	 */
	public static boolean expires(byte[] envelope) {
		return envelope.length > EXPIRING.length
				&& Arrays.equals(envelope, 0, EXPIRING.length, EXPIRING, 0, EXPIRING.length);
	}

	private static boolean isPlain(Envelope envelope) {
		return envelope.id() == null && envelope.headers().isEmpty() && envelope.maxAttempts() == null
				&& envelope.timeToLive() == null && !envelope.dropExpired();
	}

	private void write(Envelope envelope, boolean jsonPayload, ByteArrayOutputStream out) {
		try (JsonGenerator json = this.writer.createGenerator(out)) {
			json.writeStartObject();
			json.writeNumberProperty("v", VERSION);
			// First, for the scripts look there, and see no further.
			if (envelope.timeToLive() != null) {
				json.writeNumberProperty("timeToLive", envelope.timeToLive().plusNanos(999_999).toMillis());
			}
			if (envelope.id() != null) {
				json.writeStringProperty("id", envelope.id());
			}
			if (envelope.maxAttempts() != null) {
				json.writeNumberProperty("maxAttempts", envelope.maxAttempts());
			}
			if (envelope.dropExpired()) {
				json.writeBooleanProperty("dropExpired", true);
			}
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
		if (name.length() > MAX_NAME_LENGTH) {
			throw new EnvelopeException("the name of a header has " + name.length() + " characters, and the limit is "
					+ MAX_NAME_LENGTH + ": '" + name.substring(0, 50) + "…'", null);
		}
		if (LoneSurrogates.firstIn(name) >= 0) {
			throw new EnvelopeException("the name of a header has half a character, a lone surrogate: '" + name + "'",
					null);
		}
		if (value instanceof Number number && !isShort(number)) {
			String written = number.toString();
			if (written.length() > MAX_NUMBER_LENGTH || !NUMBER.matcher(written).matches()) {
				throw new EnvelopeException("the header '" + name + "' is a " + number.getClass().getName()
						+ " that cannot be written as a JSON number of up to " + MAX_NUMBER_LENGTH + " characters",
						null);
			}
		}
	}

	private static boolean isShort(Number number) {
		return number instanceof Integer || number instanceof Long || number instanceof Double
				|| number instanceof Float || number instanceof Short || number instanceof Byte;
	}

	private static void writeOther(JsonGenerator json, String type, byte[] payload) {
		json.writeStringProperty("type", type);
		if (type.equals(TEXT)) {
			json.writeStringProperty("payload", new String(payload, StandardCharsets.UTF_8));
		}
		else {
			json.writeStringProperty("base64", Base64.getEncoder().encodeToString(payload));
		}
	}

	/**
	 * Whether the bytes are what their type says: a converter may compress or encrypt and
	 * still call it JSON.
	 * @throws EnvelopeException if it is JSON beyond the limits
	 */
	private boolean isJson(byte[] payload) {
		if (payload.length == 0 || payload[0] <= 0 || (payload.length > 1 && payload[1] == 0)) {
			// Nothing, a byte order mark, or another encoding than UTF-8.
			return false;
		}
		try (JsonParser json = this.payloadReader.createParser(payload)) {
			if (json.nextToken() == null) {
				return false;
			}
			json.skipChildren();
			return json.nextToken() == null;
		}
		catch (StreamConstraintsException ex) {
			throw new EnvelopeException(
					"its JSON is nested more than " + MAX_DEPTH + " levels deep, or has a number of " + "more than "
							+ MAX_NUMBER_LENGTH + " or a name of more than " + MAX_NAME_LENGTH
							+ " characters, which no listener could read; send it as text or as bytes",
					ex);
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	/**
	 * Reads an envelope.
	 * @param bytes a JSON object as UTF-8
	 * @return the envelope
	 * @throws EnvelopeException if it is none that this version can read
	 */
	public Envelope read(byte[] bytes) {
		try (JsonParser json = this.reader.createParser(bytes)) {
			if (json.nextToken() != JsonToken.START_OBJECT) {
				throw new EnvelopeException("The envelope is not a JSON object", null);
			}
			return new Reading(json, bytes).envelope();
		}
		catch (JacksonException ex) {
			throw new EnvelopeException("The envelope cannot be read: " + ex.getOriginalMessage(), ex);
		}
	}

	private static final class Reading {

		private final JsonParser json;

		private final byte[] bytes;

		private Instant sentAt = Instant.EPOCH;

		private @Nullable Instant dueAt;

		private @Nullable String id;

		private Map<String, Object> headers = Map.of();

		private @Nullable Integer maxAttempts;

		private @Nullable Duration timeToLive;

		private boolean dropExpired;

		private @Nullable String type;

		private byte @Nullable [] payload;

		Reading(JsonParser json, byte[] bytes) {
			this.json = json;
			this.bytes = bytes;
		}

		Envelope envelope() {
			for (String name = this.json.nextName(); name != null; name = this.json.nextName()) {
				this.json.nextToken();
				property(name);
			}
			if (this.payload == null) {
				throw new EnvelopeException("The envelope has no payload", null);
			}
			return new Envelope(this.id, this.headers, this.maxAttempts, this.timeToLive, this.dropExpired,
					(this.type != null) ? this.type : JSON, this.payload, this.sentAt,
					(this.dueAt != null) ? this.dueAt : this.sentAt);
		}

		private void property(String name) {
			switch (name) {
				case "v" -> checkVersion(this.json.getIntValue());
				case "sentAt" -> this.sentAt = Instant.ofEpochMilli(this.json.getLongValue());
				case "dueAt" -> this.dueAt = Instant.ofEpochMilli(this.json.getLongValue());
				case "id" -> this.id = this.json.getString();
				case "maxAttempts" -> this.maxAttempts = this.json.getIntValue();
				case "timeToLive" -> this.timeToLive = Duration.ofMillis(this.json.getLongValue());
				case "dropExpired" -> this.dropExpired = this.json.getBooleanValue();
				case "type" -> this.type = this.json.getString();
				case "headers" -> this.headers = headers();
				case "payload" -> this.payload = payload();
				case "base64" -> this.payload = this.json.getBinaryValue();
				default -> this.json.skipChildren();
			}
		}

		private static void checkVersion(int version) {
			if (version > VERSION) {
				throw new EnvelopeException("The envelope has the version " + version
						+ ", and this application reads up to " + VERSION + ": it was sent by a newer Redelay", null);
			}
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

		private byte[] payload() {
			if (this.type != null && this.json.currentToken() == JsonToken.VALUE_STRING) {
				return this.json.getString().getBytes(StandardCharsets.UTF_8);
			}
			int start = (int) this.json.currentTokenLocation().getByteOffset();
			if (this.json.currentToken().isScalarValue()) {
				this.json.finishToken();
			}
			else {
				this.json.skipChildren();
			}
			int end = (int) this.json.currentLocation().getByteOffset();
			return Arrays.copyOfRange(this.bytes, start, end);
		}

	}

}
