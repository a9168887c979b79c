package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.HandlingOptions;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
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

	/**
	 * The beginning of an envelope up to its deadline.
	 */
	private static final Pattern DEADLINE = Pattern
		.compile("\\{\"v\":\\d+,(?:\"timeToLive\":\\d+,)?\"deadline(After)?\"");

	private static final int LONGEST_HEAD = 300;

	private static final JsonMapper READER = EnvelopeFormat.mapper(EnvelopeFormat.MAX_DEPTH + 1);

	private final EnvelopeWriter writer = new EnvelopeWriter();

	/**
	 * Writes an envelope, without its times.
	 * @param envelope the envelope
	 * @return a JSON object as UTF-8
	 * @throws EnvelopeException if it would be one that {@link #read} cannot read
	 */
	public byte[] write(Envelope envelope) {
		return this.writer.write(envelope);
	}

	/**
	 * Writes an envelope that has nothing but a JSON payload, without its times.
	 * @param mapper writes the payload
	 * @param payload the payload
	 * @return a JSON object as UTF-8, or {@code null} if it is not sure that
	 * {@link #read} can read it
	 * @throws JacksonException if the payload cannot be written
	 */
	public static byte @Nullable [] writePlain(JsonMapper mapper, Object payload) {
		PlainEnvelopeStream envelope = new PlainEnvelopeStream();
		mapper.writeValue(envelope, payload);
		return envelope.bytes();
	}

	/**
	 * Writes the beginning of an envelope whose payload the scripts write: a JSON value,
	 * and a brace behind it.
	 * @param headers the headers
	 * @return the text before the payload, from behind the opening brace, as UTF-8
	 */
	public byte[] writeBeginning(Map<String, Object> headers) {
		Envelope.Options options = Envelope.Options.of(null, headers, null, Envelope.Lifetime.NONE, Envelope.Keys.NONE,
				HandlingOptions.NONE, false);
		byte[] envelope = write(new Envelope(options, EnvelopeFormat.JSON, new byte[] { '0' }));
		return Arrays.copyOfRange(envelope, 1, envelope.length - 2);
	}

	/**
	 * Wraps a payload so that the payloads of other messages can be added: see
	 * {@link Envelope#aggregate()}.
	 * @param payload the payload
	 * @param contentType its type
	 * @return a JSON array of it
	 * @throws EnvelopeException if it is no JSON
	 */
	public byte[] list(byte[] payload, String contentType) {
		return this.writer.list(payload, contentType);
	}

	/**
	 * Splits the payloads that {@link #list} and the store put together.
	 * @param list a JSON array as UTF-8
	 * @return its elements, each as it was sent
	 * @throws EnvelopeException if it is none
	 */
	public List<byte[]> elements(byte[] list) {
		try (JsonParser json = READER.createParser(list)) {
			if (json.nextToken() != JsonToken.START_ARRAY) {
				throw new EnvelopeException("What was gathered is not a JSON array", null);
			}
			List<byte[]> elements = new ArrayList<>();
			while (json.nextToken() != JsonToken.END_ARRAY) {
				elements.add(EnvelopeReading.value(json, list));
			}
			return elements;
		}
		catch (JacksonException ex) {
			throw new EnvelopeException("What was gathered cannot be read: " + ex.getOriginalMessage(), ex);
		}
	}

	/**
	 * Returns whether payloads are gathered in an envelope, without reading all of it.
	 * @param envelope the envelope
	 * @return whether its payload is a list of payloads
	 */
	public static boolean isAggregate(byte[] envelope) {
		return new EnvelopeHead(envelope).isAggregate();
	}

	/**
	 * Returns the fairness key of a message, without reading all of its envelope.
	 * @param envelope the envelope
	 * @return the key as the envelope has it, escaped as JSON; {@code null} if the
	 * message has none
	 */
	public static @Nullable String fairnessKey(byte[] envelope) {
		return new EnvelopeHead(envelope).fairnessKey();
	}

	/**
	 * Returns the id of a message without reading the rest of its envelope.
	 * @param envelope the bytes that {@link #write} wrote
	 * @return the id, or {@code null} if the message has none
	 */
	public static @Nullable String id(byte[] envelope) {
		String written = new EnvelopeHead(envelope).id();
		return (written != null && written.indexOf('\\') >= 0)
				? JsonMapper.shared().readValue('"' + written + '"', String.class) : written;
	}

	/**
	 * Returns whether an envelope that {@link #write} wrote limits the time to live, or
	 * has a deadline.
	 */
	public static boolean expires(byte[] envelope) {
		return begins(envelope, EnvelopeFormat.EXPIRING) || begins(envelope, EnvelopeFormat.OVERDUE);
	}

	/**
	 * Returns whether an envelope that {@link #write} wrote has a deadline that may be
	 * over when its message is due. One that begins with the arrival of the message is
	 * not if the message is due then.
	 * @param envelope the envelope
	 * @param dueLater whether the message is due after its arrival
	 */
	public static boolean mayBeOverdue(byte[] envelope, boolean dueLater) {
		if (!expires(envelope)) {
			return false;
		}
		Matcher deadline = DEADLINE
			.matcher(new String(envelope, 0, Math.min(envelope.length, LONGEST_HEAD), StandardCharsets.ISO_8859_1));
		return deadline.lookingAt() && (dueLater || deadline.group(1) == null);
	}

	private static boolean begins(byte[] envelope, byte[] beginning) {
		return envelope.length > beginning.length
				&& Arrays.equals(envelope, 0, beginning.length, beginning, 0, beginning.length);
	}

	/**
	 * Reads the headers of an envelope, and nothing behind them.
	 * @param bytes a JSON object as UTF-8
	 * @return each as the text that its JSON has
	 * @throws EnvelopeException if it is none that this version can read
	 */
	public Map<String, String> headers(byte[] bytes) {
		if (begins(bytes, EnvelopeFormat.PLAIN)) {
			return Map.of();
		}
		return read(bytes, EnvelopeReading::headerTexts);
	}

	/**
	 * Reads an envelope: one that has only a JSON payload by the positions of its bytes,
	 * each other one as JSON.
	 * @param bytes a JSON object as UTF-8
	 * @return the envelope
	 * @throws EnvelopeException if it is none that this version can read
	 */
	public Envelope read(byte[] bytes) {
		Envelope plain = PlainEnvelope.read(bytes);
		return (plain != null) ? plain : read(bytes, (json) -> new EnvelopeReading(json, bytes).envelope());
	}

	private <T> T read(byte[] bytes, Function<JsonParser, T> reader) {
		try (JsonParser json = READER.createParser(bytes)) {
			if (json.nextToken() != JsonToken.START_OBJECT) {
				throw new EnvelopeException("The envelope is not a JSON object", null);
			}
			return reader.apply(json);
		}
		catch (JacksonException ex) {
			throw new EnvelopeException("The envelope cannot be read: " + ex.getOriginalMessage(), ex);
		}
		catch (IllegalArgumentException ex) {
			throw new EnvelopeException("The envelope cannot be read: " + ex.getMessage(), ex);
		}
	}

}
