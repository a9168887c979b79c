package io.redelay.queue.inlet;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.OutboundMessage;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Reads the JSON that other programs push into inlets. Each method throws an
 * {@link IllegalArgumentException} that names the field and says what it may be.
 */
final class InletMessageReader {

	private static final String PAYLOAD = "payload";

	private static final String ID = "id";

	private static final String DELAY = "delay";

	private static final String AT = "at";

	private static final String TYPE = "type";

	private static final String HEADERS = "headers";

	private static final String PRIORITY = "priority";

	private static final String TAGS = "tags";

	private static final String ORDERING_KEY = "orderingKey";

	private static final String FAIRNESS_KEY = "fairnessKey";

	/**
	 * In the order in which the guide has them.
	 */
	static final List<String> FIELDS = List.of(PAYLOAD, ID, DELAY, AT, TYPE, HEADERS, PRIORITY, TAGS, ORDERING_KEY,
			FAIRNESS_KEY);

	/**
	 * Numbers are kept exactly, and a repeated field is an error.
	 */
	private final JsonMapper mapper = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	OutboundMessage read(String queue, String text) {
		Fields fields = new Fields(object(text));
		Object payload = fields.values().get(PAYLOAD);
		Assert.isTrue(payload != null, "'payload' is missing or null");
		OutboundMessage message = timed(OutboundMessage.to(queue, payload), fields);
		String id = fields.text(ID);
		message = (id != null) ? message.id(id) : message;
		String type = fields.text(TYPE);
		message = (type != null) ? message.payloadType(type) : message;
		message = message.headers(fields.headers()).tags(fields.tags());
		Integer priority = fields.priority();
		message = (priority != null) ? message.priority(priority) : message;
		String ordering = fields.text(ORDERING_KEY);
		message = (ordering != null) ? message.orderingKey(ordering) : message;
		String fairness = fields.text(FAIRNESS_KEY);
		return (fairness != null) ? message.fairnessKey(fairness) : message;
	}

	private static OutboundMessage timed(OutboundMessage message, Fields fields) {
		Duration delay = fields.delay();
		Instant at = fields.at();
		Assert.isTrue(delay == null || at == null, "'delay' and 'at' must not both be given");
		if (delay != null) {
			return message.delay(delay);
		}
		return (at != null) ? message.dueAt(at) : message;
	}

	private Map<?, ?> object(String text) {
		Object read;
		try {
			read = this.mapper.readValue(text, Object.class);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("it is no JSON that can be read: " + ex.getOriginalMessage() + place(ex),
					ex);
		}
		if (!(read instanceof Map<?, ?> object)) {
			throw new IllegalArgumentException("it must be a JSON object with a 'payload'");
		}
		Set<Object> unknown = new TreeSet<>(object.keySet());
		FIELDS.forEach(unknown::remove);
		Assert.isTrue(unknown.isEmpty(),
				() -> "it has fields that are not known: " + unknown + "; known are " + FIELDS);
		return object;
	}

	private static String place(JacksonException ex) {
		return (ex.getLocation() != null)
				? " (line " + ex.getLocation().getLineNr() + ", column " + ex.getLocation().getColumnNr() + ")" : "";
	}

	/**
	 * The fields of an entry. A field that is {@code null} counts as missing.
	 */
	private record Fields(Map<?, ?> values) {

		@Nullable String text(String name) {
			Object value = this.values.get(name);
			Assert.isTrue(value == null || value instanceof String, () -> "'" + name + "' must be a string");
			return (String) value;
		}

		@Nullable Duration delay() {
			Object value = this.values.get(DELAY);
			if (value == null || isWhole(value)) {
				return (value != null) ? Duration.ofMillis(((Number) value).longValue()) : null;
			}
			try {
				return Duration.parse(String.valueOf(text(DELAY)));
			}
			catch (DateTimeParseException | IllegalArgumentException ex) {
				throw new IllegalArgumentException(
						"'delay' must be a whole number of milliseconds, or a duration of ISO 8601 like \"PT5M\"", ex);
			}
		}

		@Nullable Instant at() {
			Object value = this.values.get(AT);
			if (value == null || isWhole(value)) {
				return (value != null) ? Instant.ofEpochMilli(((Number) value).longValue()) : null;
			}
			try {
				return Instant.parse(String.valueOf(text(AT)));
			}
			catch (DateTimeParseException | IllegalArgumentException ex) {
				throw new IllegalArgumentException("'at' must be a whole number of milliseconds since 1970, or a time"
						+ " of ISO 8601 with its zone like \"2026-12-01T08:00:00Z\"", ex);
			}
		}

		private static boolean isWhole(Object value) {
			return value instanceof Integer || value instanceof Long;
		}

		@Nullable Integer priority() {
			Object value = this.values.get(PRIORITY);
			Assert.isTrue(value == null || value instanceof Integer, "'priority' must be a whole number, 0 to 9");
			return (Integer) value;
		}

		Map<String, Object> headers() {
			Object value = this.values.get(HEADERS);
			Assert.isTrue(value == null || value instanceof Map, "'headers' must be an object");
			Map<String, Object> headers = new LinkedHashMap<>();
			if (value instanceof Map<?, ?> object) {
				object.forEach((name, header) -> {
					Assert.isTrue(header != null, () -> "'headers' has a null: '" + name + "'");
					headers.put((String) name, header);
				});
			}
			return headers;
		}

		List<String> tags() {
			Object value = this.values.get(TAGS);
			Assert.isTrue(value == null || value instanceof List, "'tags' must be an array of strings");
			List<String> tags = new ArrayList<>();
			if (value instanceof List<?> array) {
				array.forEach((tag) -> {
					Assert.isTrue(tag instanceof String, "'tags' must be an array of strings");
					tags.add((String) tag);
				});
			}
			return tags;
		}

	}

}
