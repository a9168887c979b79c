package io.redelay.queue.message;

import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a {@link FailedAttempt} as one line of JSON that a person can read, and reads
 * it, as far as it can be read: another version may have written more, or less.
 * <p>
 * Safe for use by many threads.
 *
 * @param mapper reads and writes JSON
 * @since 0.1.0
 */
public record FailedAttemptCodec(JsonMapper mapper) {

	/**
	 * Writes why a message died without an attempt to handle it.
	 * @param time when it died
	 * @param instance the instance where it died
	 * @param reason why it died
	 * @param why the same in words
	 * @param failures how often its handling had failed by then
	 * @param crashes how often instances had died while they handled it
	 * @return the text
	 */
	public String unhandled(Instant time, String instance, DeathReason reason, String why, int failures, int crashes) {
		return write(new FailedAttempt(time, instance, "", reason, null, why, null, failures, crashes));
	}

	/**
	 * Writes an attempt.
	 * @param attempt the attempt
	 * @return a JSON object in one line, without what is {@code null}
	 */
	public String write(FailedAttempt attempt) {
		StringWriter out = new StringWriter();
		try (JsonGenerator json = this.mapper.createGenerator(out)) {
			json.writeStartObject();
			json.writeStringProperty("at", attempt.at().toString());
			json.writeStringProperty("instance", attempt.instance());
			json.writeStringProperty("listener", attempt.listener());
			writeIfPresent(json, "reason", (attempt.reason() != null) ? attempt.reason().name() : null);
			writeIfPresent(json, "exception", attempt.exception());
			writeIfPresent(json, "message", attempt.message());
			writeIfPresent(json, "stackTrace", attempt.stackTrace());
			json.writeNumberProperty("failures", attempt.failures());
			json.writeNumberProperty("crashes", attempt.crashes());
			json.writeEndObject();
		}
		return out.toString();
	}

	private static void writeIfPresent(JsonGenerator json, String name, @Nullable String value) {
		if (value != null) {
			json.writeStringProperty(name, value);
		}
	}

	/**
	 * Reads an attempt.
	 * @param json the text that {@link #write} wrote
	 * @return the attempt, or {@code null} if it is none
	 */
	public @Nullable FailedAttempt read(String json) {
		try {
			JsonNode node = this.mapper.readTree(json);
			return node.isObject() ? read(node) : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	private static FailedAttempt read(JsonNode node) {
		return new FailedAttempt(time(node.path("at").asString("")), node.path("instance").asString(""),
				node.path("listener").asString(""), reason(node.path("reason").asString("")), text(node, "exception"),
				text(node, "message"), text(node, "stackTrace"), node.path("failures").asInt(0),
				node.path("crashes").asInt(0));
	}

	private static Instant time(String text) {
		try {
			return Instant.parse(text);
		}
		catch (DateTimeException ex) {
			return Instant.EPOCH;
		}
	}

	private static @Nullable DeathReason reason(String name) {
		return Arrays.stream(DeathReason.values())
			.filter((reason) -> reason.name().equals(name))
			.findFirst()
			.orElse(null);
	}

	private static @Nullable String text(JsonNode node, String name) {
		JsonNode value = node.path(name);
		return value.isString() ? value.stringValue() : null;
	}

}
