package io.redelay.queue.logging;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.redelay.queue.PayloadMasker;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * Masks the values of JSON fields and headers whose names suggest secrets, and shortens
 * long payloads. Of a payload that is neither JSON nor text it shows the size only.
 *
 * @since 0.1.0
 */
public final class JsonPayloadMasker implements PayloadMasker {

	private static final String MASK = "***";

	private final List<String> maskedFields;

	private final int maxLength;

	private final JsonMapper mapper = JsonMapper.shared();

	/**
	 * Creates a masker.
	 * @param maskedFields a field is masked if its name contains one of these; case, and
	 * characters other than letters and digits, are ignored
	 * @param maxLength the number of characters that are shown at most
	 */
	public JsonPayloadMasker(Collection<String> maskedFields, int maxLength) {
		if (maxLength < 0) {
			throw new IllegalArgumentException("'maxLength' must be 0 or more: " + maxLength);
		}
		this.maskedFields = maskedFields.stream()
			.map(JsonPayloadMasker::plain)
			.filter((name) -> !name.isEmpty())
			.toList();
		this.maxLength = maxLength;
	}

	/**
	 * Returns a masker of the same fields that shows more of a payload, or less.
	 * @param maxLength the number of characters that are shown at most
	 * @return the masker
	 */
	public JsonPayloadMasker withMaxLength(int maxLength) {
		return new JsonPayloadMasker(this.maskedFields, maxLength);
	}

	@Override
	public Object maskHeader(String name, Object value) {
		if (isMasked(name)) {
			return MASK;
		}
		if (value instanceof Map || value instanceof Collection) {
			return mask(this.mapper.writeValueAsBytes(value), "application/json");
		}
		boolean isJson = value instanceof String text && (text.startsWith("{") || text.startsWith("["));
		return isJson ? mask(((String) value).getBytes(StandardCharsets.UTF_8), "text/plain") : value;
	}

	@Override
	public String mask(byte[] payload, String contentType) {
		boolean json = contentType.contains("json");
		if (!json && !contentType.startsWith("text/")) {
			return payload.length + " bytes of " + contentType;
		}
		try {
			return cut(masked(payload));
		}
		catch (JacksonException ex) {
			return json ? payload.length + " bytes of " + contentType + " that are no JSON"
					: cut(new String(payload, StandardCharsets.UTF_8));
		}
	}

	private String masked(byte[] payload) {
		StringWriter text = new StringWriter();
		try (JsonParser parser = this.mapper.createParser(payload);
				JsonGenerator generator = this.mapper.createGenerator(text)) {
			while (parser.nextToken() != null) {
				if (parser.currentToken() == JsonToken.PROPERTY_NAME && isMasked(parser.currentName())) {
					generator.writeStringProperty(parser.currentName(), MASK);
					parser.nextToken();
					parser.skipChildren();
				}
				else {
					generator.copyCurrentEventExact(parser);
				}
			}
		}
		return text.toString();
	}

	private boolean isMasked(String name) {
		String plain = plain(name);
		return this.maskedFields.stream().anyMatch(plain::contains);
	}

	private static String plain(String name) {
		return name.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]", "");
	}

	private String cut(String text) {
		return (text.length() > this.maxLength)
				? text.substring(0, this.maxLength) + "… (" + text.length() + " characters)" : text;
	}

}
