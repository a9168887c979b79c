package io.redelay.queue.notes;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.failure.ConversionFailure;
import io.redelay.queue.work.CheckpointException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.util.MimeTypeUtils;

/**
 * Converts the states of checkpoints, as payloads are converted. JSON is stored as it is;
 * any other value is stored behind its content type.
 * <p>
 * Safe for use by many threads.
 *
 * @param converter converts payloads
 * @since 0.1.0
 */
public record CheckpointConverter(MessageConverter converter) {

	/**
	 * Marks the content type of a value that is not JSON. No JSON value begins with it.
	 */
	private static final char TYPED = '#';

	private static final String JSON = MimeTypeUtils.APPLICATION_JSON_VALUE;

	/**
	 * Converts a state.
	 * @param state the state
	 * @param subject describes the state in messages
	 * @return the stored bytes
	 * @throws CheckpointException if it cannot be converted
	 */
	byte[] write(Object state, Object subject) {
		Message<?> message;
		try {
			message = this.converter.toMessage(state, null);
		}
		catch (RuntimeException ex) {
			throw new CheckpointException(CheckpointException.Reason.NOT_CONVERTIBLE,
					notSaved(subject, state) + ": " + ConversionFailure.words(ex), ex);
		}
		if (message == null) {
			throw new CheckpointException(CheckpointException.Reason.NOT_CONVERTIBLE,
					notSaved(subject, state) + ": no MessageConverter takes it", null);
		}
		byte[] value = (message.getPayload() instanceof byte[] bytes) ? bytes
				: message.getPayload().toString().getBytes(StandardCharsets.UTF_8);
		String type = String.valueOf(message.getHeaders().get(MessageHeaders.CONTENT_TYPE));
		if (type.startsWith(JSON)) {
			return value;
		}
		ByteArrayOutputStream typed = new ByteArrayOutputStream(value.length + type.length() + 2);
		typed.writeBytes((TYPED + type + '\n').getBytes(StandardCharsets.UTF_8));
		typed.writeBytes(value);
		return typed.toByteArray();
	}

	private static String notSaved(Object subject, Object state) {
		return "The " + subject + ", a " + state.getClass().getName() + ", cannot be saved";
	}

	/**
	 * Converts stored bytes.
	 * @param stored the stored bytes
	 * @param type the type of the state
	 * @param subject describes the state in messages
	 * @return the state, or {@code null} if the JSON is {@code null}
	 * @throws PayloadConversionException if it does not fit the type
	 */
	@Nullable Object read(byte[] stored, Type type, Object subject) {
		Class<?> raw = ResolvableType.forType(type).toClass();
		String contentType = JSON;
		byte[] value = stored;
		if (stored.length > 0 && stored[0] == TYPED) {
			int end = 0;
			while (end < stored.length && stored[end] != '\n') {
				end++;
			}
			contentType = new String(stored, 1, end - 1, StandardCharsets.UTF_8);
			value = Arrays.copyOfRange(stored, Math.min(end + 1, stored.length), stored.length);
		}
		Message<?> message = new GenericMessage<>(value, Map.of(MessageHeaders.CONTENT_TYPE, contentType));
		String what = "The " + subject + " does not fit the type " + type.getTypeName()
				+ ", as which its handler reads it";
		Object state;
		try {
			state = (this.converter instanceof SmartMessageConverter smart)
					? smart.fromMessage(message, raw, ParameterizedTypeReference.forType(type))
					: this.converter.fromMessage(message, raw);
		}
		catch (RuntimeException ex) {
			throw ConversionFailure.exception(what, ex);
		}
		if (state == null && !new String(value, StandardCharsets.UTF_8).strip().equals("null")) {
			throw new PayloadConversionException(what + ": no MessageConverter makes it of " + contentType, null);
		}
		return state;
	}

}
