package io.redelay.queue.config;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Gives a handler of batches its list, whose elements are converted one by one before the
 * handler is called.
 */
final class BatchArgumentResolver implements HandlerMethodArgumentResolver {

	private final MessageConverter converter;

	BatchArgumentResolver(MessageConverter converter) {
		this.converter = converter;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.getParameterType() == List.class;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		return message.getPayload();
	}

	/**
	 * Converts a message to what the list holds.
	 */
	Object element(MethodParameter list, Message<byte[]> message) {
		MethodParameter element = list.nested();
		boolean wrapped = Message.class.isAssignableFrom(element.getNestedParameterType());
		MethodParameter payload = wrapped ? element.nested() : element;
		Class<?> type = payload.getNestedParameterType();
		Object converted = (type == byte[].class) ? message.getPayload()
				: (this.converter instanceof SmartMessageConverter smart) ? smart.fromMessage(message, type, payload)
						: this.converter.fromMessage(message, type);
		if (converted == null) {
			throw new MessageConversionException(message, "No MessageConverter makes a " + type.getName() + " of "
					+ message.getHeaders().get(MessageHeaders.CONTENT_TYPE));
		}
		return wrapped ? MessageBuilder.createMessage(converted, message.getHeaders()) : converted;
	}

}
