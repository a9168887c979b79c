package io.redelay.autoconfigure;

import java.util.List;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;

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
		StringMessageConverter text = new StringMessageConverter();
		text.setContentTypeResolver((headers) -> null);
		ByteArrayMessageConverter bytes = new ByteArrayMessageConverter();
		bytes.setContentTypeResolver((headers) -> null);
		return new CompositeMessageConverter(List.of(text, bytes, new JacksonJsonMessageConverter(mapper)));
	}

}
