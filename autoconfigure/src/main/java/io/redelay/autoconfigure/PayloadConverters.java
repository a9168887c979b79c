package io.redelay.autoconfigure;

import io.redelay.queue.send.JsonPayloadConverter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.MessageConverter;

/**
 * Creates the converter of payloads: strings are text, bytes are bytes, and everything
 * else is JSON. A handler that takes a string or bytes gets the raw payload, whatever its
 * type.
 */
final class PayloadConverters {

	/**
	 * The name of the bean that converts payloads. Define one of this name to convert
	 * otherwise.
	 */
	static final String BEAN_NAME = "redelayMessageConverter";

	private PayloadConverters() {
	}

	static MessageConverter create(JsonMapper mapper) {
		return new JsonPayloadConverter(mapper);
	}

}
