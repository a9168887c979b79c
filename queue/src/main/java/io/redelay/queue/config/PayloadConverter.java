package io.redelay.queue.config;

import java.lang.reflect.Type;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonView;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;

/**
 * Converts payloads, if the application does not convert them otherwise: strings are
 * text, bytes are bytes, and everything else is JSON. A handler that takes a string or
 * bytes gets the raw payload, whatever its type.
 *
 * @since 0.1.0
 */
public final class PayloadConverter extends CompositeMessageConverter {

	private final JsonMapper mapper;

	/**
	 * Creates a converter.
	 * @param mapper reads and writes JSON
	 */
	public PayloadConverter(JsonMapper mapper) {
		super(List.of(text(), bytes(), new JacksonJsonMessageConverter(mapper)));
		this.mapper = mapper;
	}

	private static StringMessageConverter text() {
		StringMessageConverter text = new StringMessageConverter();
		text.setContentTypeResolver((headers) -> null);
		return text;
	}

	private static ByteArrayMessageConverter bytes() {
		ByteArrayMessageConverter bytes = new ByteArrayMessageConverter();
		bytes.setContentTypeResolver((headers) -> null);
		return bytes;
	}

	/**
	 * Returns a reader that reads JSON payloads for a parameter as this converter does.
	 * @return the reader, or {@code null} if the parameter takes the payload as it is, or
	 * a view of it
	 */
	@Nullable ObjectReader reader(PayloadShape shape) {
		Class<?> type = shape.rawType();
		MethodParameter hint = shape.conversionHint();
		if (type == String.class || type.isAssignableFrom(byte[].class)
				|| hint.hasParameterAnnotation(JsonView.class)) {
			return null;
		}
		Type declared = GenericTypeResolver.resolveType(hint.getNestedGenericParameterType(),
				hint.getContainingClass());
		// Looks for a deserializer when the first payload comes, and not at the start.
		return this.mapper.reader()
			.without(DeserializationFeature.EAGER_DESERIALIZER_FETCH)
			.forType(this.mapper.constructType(declared));
	}

}
