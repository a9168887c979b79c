package io.redelay.queue.bundle;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * What the handler of a message of a bundle returned.
 *
 * @param queue the queue of the message
 * @param id its id; the uid if its sender gave it none
 * @param contentType what the value is, as its {@code MessageConverter} said
 * @param value the value: text, such as JSON, or bytes in Base64
 * @param base64 whether it is in Base64
 * @since 0.1.0
 */
@JsonNaming(PropertyNamingStrategies.LowerCamelCaseStrategy.class) // as it is in the
																	// summary
public record BundleResult(String queue, String id, String contentType, String value, boolean base64) {

	/**
	 * The value as it was written.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		return this.base64 ? Base64.getDecoder().decode(this.value) : this.value.getBytes(StandardCharsets.UTF_8);
	}

}
