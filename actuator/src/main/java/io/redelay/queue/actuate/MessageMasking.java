package io.redelay.queue.actuate;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

import io.redelay.queue.PayloadMasker;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.engine.message.MessageMatcher;
import io.redelay.queue.logging.JsonPayloadMasker;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes payloads, headers and results fit to be shown: without secrets, and of bounded
 * length. Whatever a {@link PayloadMasker} throws, nothing unmasked is shown.
 *
 * @since 0.1.0
 */
public final class MessageMasking {

	/**
	 * How many characters of a payload are shown.
	 */
	static final int MAX_PAYLOAD = 64 * 1024;

	private static final int MAX_HEADER = 4000;

	private static final int MAX_HEADERS = 200;

	private static final String MASKED = "***";

	private final PayloadMasker masker;

	/**
	 * Creates a masking.
	 * @param masker masks payloads and headers
	 */
	public MessageMasking(PayloadMasker masker) {
		this.masker = (masker instanceof JsonPayloadMasker json) ? json.withMaxLength(Integer.MAX_VALUE) : masker;
	}

	/**
	 * A payload, or another text that a handler gave.
	 */
	BoundedText payload(byte[] payload, String contentType) {
		try {
			return BoundedText.of(this.masker.mask(payload, contentType), MAX_PAYLOAD);
		}
		catch (Throwable ex) {
			return new BoundedText(failed(payload.length + " bytes", ex), false);
		}
	}

	/**
	 * Whether a filter chooses a message by its shown parts. Masked values are not found
	 * either, or a user could guess them.
	 */
	boolean matches(MessageMatcher matcher, QueuedMessage message) {
		try {
			return matcher.matchesContent(headers(message.headers()),
					this.masker.mask(message.payload(), message.contentType()).getBytes(StandardCharsets.UTF_8));
		}
		catch (Throwable ex) {
			return false;
		}
	}

	/**
	 * Whether the headers and fields that a filter chooses by are shown, and not masked.
	 */
	boolean shows(MessageFilter filter) {
		Map<String, Object> headers = new LinkedHashMap<>(filter.headers());
		Map<String, Object> payload = new LinkedHashMap<>();
		filter.fields().forEach((pointer, value) -> put(payload, pointer, value));
		try {
			byte[] json = JsonMapper.shared().writeValueAsBytes(payload);
			return new MessageMatcher(filter).matchesContent(headers(headers),
					this.masker.mask(json, "application/json").getBytes(StandardCharsets.UTF_8));
		}
		catch (Throwable ex) {
			return false;
		}
	}

	/**
	 * A name and a value with a colon between, as they are recorded: without the value if
	 * it is masked, or if it cannot be said.
	 */
	String pair(String text, BiFunction<String, String, MessageFilter> filter) {
		int colon = text.indexOf(':');
		try {
			return (colon < 1 || shows(filter.apply(text.substring(0, colon), text.substring(colon + 1)))) ? text
					: text.substring(0, colon + 1) + MASKED;
		}
		catch (RuntimeException ex) {
			return text.substring(0, colon + 1) + MASKED;
		}
	}

	private static void put(Map<String, Object> payload, String pointer, String value) {
		Map<String, Object> into = payload;
		JsonPointer at = JsonPointer.compile(pointer);
		for (; !at.tail().matches(); at = at.tail()) {
			Map<String, Object> inner = new LinkedHashMap<>();
			into.put(at.getMatchingProperty(), inner);
			into = inner;
		}
		into.put(at.getMatchingProperty(), value);
	}

	/**
	 * The sender's own headers, at most {@value #MAX_HEADERS}.
	 */
	Map<String, Object> headers(Map<String, Object> headers) {
		Map<String, Object> shown = new LinkedHashMap<>();
		headers.entrySet()
			.stream()
			.limit(MAX_HEADERS)
			.forEach((header) -> shown.put(BoundedText.of(header.getKey(), MAX_HEADER).text(),
					header(header.getKey(), header.getValue())));
		return shown;
	}

	private Object header(String name, Object value) {
		try {
			Object masked = this.masker.maskHeader(name, value);
			return (masked instanceof Number || masked instanceof Boolean) ? masked
					: BoundedText.of(String.valueOf(masked), MAX_HEADER).text();
		}
		catch (Throwable ex) {
			return failed("a value", ex);
		}
	}

	private static String failed(String what, Throwable ex) {
		return what + " that the " + PayloadMasker.class.getSimpleName() + " could not mask, for it failed with a "
				+ ex.getClass().getName();
	}

}
