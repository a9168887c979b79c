package io.redelay.queue.inlet;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongFunction;

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
			return value(name, String.class, "a string");
		}

		private <T> @Nullable T value(String name, Class<T> type, String what) {
			Object value = this.values.get(name);
			Assert.isTrue(value == null || type.isInstance(value), () -> "'" + name + "' must be " + what);
			return type.cast(value);
		}

		@Nullable Duration delay() {
			return time(DELAY, Duration::ofMillis, Duration::parse,
					"milliseconds, or a duration of ISO 8601 like \"PT5M\"");
		}

		@Nullable Instant at() {
			return time(AT, Instant::ofEpochMilli, Instant::parse,
					"milliseconds since 1970, or a time of ISO 8601 with its zone like \"2026-12-01T08:00:00Z\"");
		}

		private <T> @Nullable T time(String name, LongFunction<T> ofMillis, Function<String, T> parser, String form) {
			Object value = this.values.get(name);
			if (value == null) {
				return null;
			}
			if (value instanceof Integer || value instanceof Long) {
				return ofMillis.apply(((Number) value).longValue());
			}
			try {
				return parser.apply(String.valueOf(text(name)));
			}
			catch (DateTimeParseException | IllegalArgumentException ex) {
				throw new IllegalArgumentException("'" + name + "' must be a whole number of " + form, ex);
			}
		}

		@Nullable Integer priority() {
			return value(PRIORITY, Integer.class, "a whole number, 0 to 9");
		}

		Map<String, Object> headers() {
			Map<String, Object> headers = new LinkedHashMap<>();
			Map<?, ?> object = value(HEADERS, Map.class, "an object");
			if (object != null) {
				object.forEach((name, header) -> {
					Assert.isTrue(header != null, () -> "'headers' has a null: '" + name + "'");
					headers.put((String) name, header);
				});
			}
			return headers;
		}

		List<String> tags() {
			String what = "an array of strings";
			List<?> tags = value(TAGS, List.class, what);
			if (tags == null) {
				return List.of();
			}
			Assert.isTrue(tags.stream().allMatch(String.class::isInstance), () -> "'tags' must be " + what);
			return tags.stream().map(String.class::cast).toList();
		}

	}

}
