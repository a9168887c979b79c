package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.redelay.queue.message.EnvelopeCodec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.util.MimeTypeUtils;

/**
 * Converts payloads: strings are text, bytes are bytes, and everything else is JSON. A
 * handler that takes a string or bytes gets the raw payload, whatever its type.
 *
 * @since 0.1.0
 */
public final class JsonPayloadConverter extends CompositeMessageConverter {

	private final JsonMapper mapper;

	private final List<MessageConverter> original;

	/**
	 * Creates a converter.
	 * @param mapper writes and reads JSON
	 */
	public JsonPayloadConverter(JsonMapper mapper) {
		super(List.of(text(), bytes(), new JacksonJsonMessageConverter(mapper)));
		this.mapper = mapper;
		this.original = List.copyOf(getConverters());
	}

	private static MessageConverter text() {
		StringMessageConverter text = new StringMessageConverter();
		text.setContentTypeResolver((headers) -> null);
		return text;
	}

	private static MessageConverter bytes() {
		ByteArrayMessageConverter bytes = new ByteArrayMessageConverter();
		bytes.setContentTypeResolver((headers) -> null);
		return bytes;
	}

	/**
	 * Returns the mapper.
	 * @return what writes and reads JSON
	 */
	public JsonMapper mapper() {
		return this.mapper;
	}

	/**
	 * Returns whether no converter was added or removed, so that {@link #convert} gives
	 * what {@link #toMessage} does, and payloads may be read by the mapper alone. To be
	 * asked for each payload, as one may be added at any time.
	 * @return whether none was
	 */
	public boolean isOriginal() {
		List<MessageConverter> present = getConverters();
		boolean original = present.size() == this.original.size();
		for (int i = 0; original && i < this.original.size(); i++) {
			original = present.get(i) == this.original.get(i);
		}
		return original;
	}

	/**
	 * Writes the envelope of a message that has nothing but a payload.
	 * @return it, or {@code null} if the payload is no JSON, or may be none, or fails
	 */
	byte @Nullable [] envelope(Object payload) {
		if (payload instanceof String || payload instanceof byte[]) {
			return null;
		}
		try {
			return EnvelopeCodec.writePlain(this.mapper, payload);
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Converts a payload without a message around it, nor its headers.
	 * @throws MessageConversionException if it cannot be JSON
	 */
	ConvertedPayload convert(Object payload) {
		if (payload instanceof String text) {
			return new ConvertedPayload(text.getBytes(StandardCharsets.UTF_8), MimeTypeUtils.TEXT_PLAIN_VALUE);
		}
		if (payload instanceof byte[] bytes) {
			return new ConvertedPayload(bytes, MimeTypeUtils.APPLICATION_OCTET_STREAM_VALUE);
		}
		try {
			return new ConvertedPayload(this.mapper.writeValueAsBytes(payload), MimeTypeUtils.APPLICATION_JSON_VALUE);
		}
		catch (JacksonException ex) {
			throw new MessageConversionException("Could not write JSON: " + ex.getMessage(), ex);
		}
	}

}
