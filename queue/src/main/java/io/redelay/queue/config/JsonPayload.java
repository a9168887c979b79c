package io.redelay.queue.config;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.MimeTypeUtils;

/**
 * Detects from the bytes of a payload what kind of JSON value it is, also if it could not
 * be converted.
 */
final class JsonPayload {

	private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

	private JsonPayload() {
	}

	/**
	 * Returns whether it is {@code null}, as which an empty optional is sent.
	 */
	static boolean isNull(Message<?> message) {
		byte[] json = json(message);
		if (json == null) {
			return false;
		}
		int start = start(json);
		boolean isNull = json.length - start >= NULL.length;
		for (int i = 0; isNull && i < json.length - start; i++) {
			isNull = (i < NULL.length) ? json[start + i] == NULL[i] : isBlank(json[start + i]);
		}
		return isNull;
	}

	/**
	 * Returns the kind of value in words; an empty text if it is not JSON.
	 */
	static String kind(Message<?> message) {
		byte[] json = json(message);
		if (json == null || start(json) == json.length) {
			return "";
		}
		return switch (json[start(json)]) {
			case '{' -> "an object";
			case '[' -> "a list";
			case '"' -> "a string";
			case 't', 'f' -> "true or false";
			case 'n' -> "null";
			default -> "a number";
		};
	}

	/**
	 * Returns whether it is called JSON, and nothing more.
	 */
	static boolean isJson(Message<?> message) {
		return MimeTypeUtils.APPLICATION_JSON_VALUE.equals(message.getHeaders().get(MessageHeaders.CONTENT_TYPE));
	}

	private static byte @Nullable [] json(Message<?> message) {
		Object type = message.getHeaders().get(MessageHeaders.CONTENT_TYPE);
		boolean isJson = type != null && type.toString().startsWith("application/json");
		return (isJson && message.getPayload() instanceof byte[] json) ? json : null;
	}

	private static int start(byte[] json) {
		int start = 0;
		while (start < json.length && isBlank(json[start])) {
			start++;
		}
		return start;
	}

	private static boolean isBlank(byte each) {
		return each == ' ' || each == '\n' || each == '\r' || each == '\t';
	}

}
