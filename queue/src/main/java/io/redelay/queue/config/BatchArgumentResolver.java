package io.redelay.queue.config;

import java.util.List;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.coroutine.HandlerCoroutines;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * Passes the list, or a flow of its elements, to a handler of batches. They are converted
 * one by one before the handler is called.
 */
record BatchArgumentResolver(PayloadArgumentResolver payloads) implements HandlerMethodArgumentResolver {

	/**
	 * Returns whether a parameter takes a batch.
	 */
	static boolean isBatch(MethodParameter parameter) {
		return PayloadShape.isBatch(ResolvableType.forMethodParameter(parameter).toClass())
				&& !parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class);
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return isBatch(parameter);
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Object batch = message.getPayload();
		return (batch instanceof List<?> list && SuspendFunctions.isFlow(parameter.getParameterType()))
				? HandlerCoroutines.flow(list) : batch;
	}

	/**
	 * Converts a message to the type of the list's elements.
	 */
	Object element(MethodParameter list, Message<?> message) {
		return this.payloads.take(list, message);
	}

}
