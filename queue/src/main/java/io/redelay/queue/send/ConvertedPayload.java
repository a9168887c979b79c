package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * A payload as the store takes it.
 *
 * @param bytes the payload
 * @param contentType what it is
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record ConvertedPayload(byte[] bytes, String contentType) {

	/**
	 * Takes the payload of a message that a converter made.
	 * @param message the message
	 * @return its payload
	 */
	public static ConvertedPayload of(Message<?> message) {
		byte[] bytes = (message.getPayload() instanceof byte[] given) ? given
				: message.getPayload().toString().getBytes(StandardCharsets.UTF_8);
		return new ConvertedPayload(bytes, contentType(message));
	}

	private static String contentType(Message<?> message) {
		Object header = message.getHeaders().get(MessageHeaders.CONTENT_TYPE);
		if (header == null) {
			return MimeTypeUtils.APPLICATION_OCTET_STREAM_VALUE;
		}
		MimeType type = (header instanceof MimeType mimeType) ? mimeType : MimeType.valueOf(header.toString());
		boolean utf8 = type.getCharset() == null || StandardCharsets.UTF_8.equals(type.getCharset());
		boolean plain = MimeTypeUtils.APPLICATION_JSON.equalsTypeAndSubtype(type)
				|| MimeTypeUtils.TEXT_PLAIN.equalsTypeAndSubtype(type);
		return (plain && utf8) ? type.getType() + "/" + type.getSubtype() : type.toString();
	}

}
