package io.redelay.queue.config;

import java.util.Arrays;
import java.util.List;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.listener.DeliveryHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.MessageMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.validation.Validator;

/**
 * Makes handlers of methods: checks their parameters and chooses who gives their
 * arguments.
 */
final class DeliveryHandlerFactory {

	private final ConfigurableListableBeanFactory beanFactory;

	private final HandlerMethodArgumentResolverComposite resolvers = new HandlerMethodArgumentResolverComposite();

	private final BatchArgumentResolver batches;

	DeliveryHandlerFactory(ConfigurableListableBeanFactory beanFactory, MessageConverter converter,
			@Nullable Validator validator) {
		this.beanFactory = beanFactory;
		this.batches = new BatchArgumentResolver(converter);
		ConversionService conversion = new DefaultFormattingConversionService();
		this.resolvers.addResolvers(new DeliveryArgumentResolver(), this.batches,
				new HeaderMethodArgumentResolver(conversion, beanFactory), new HeadersMethodArgumentResolver(),
				new MessageMethodArgumentResolver(converter), new PayloadMethodArgumentResolver(converter, validator));
	}

	/**
	 * Finds the parameter of a method that takes a batch.
	 */
	@Nullable MethodParameter batchParameter(QueueListenerEndpoint endpoint) {
		return parameters(endpoint).stream()
			.filter((parameter) -> parameter.getParameterType() == List.class && !isHeader(parameter))
			.findFirst()
			.orElse(null);
	}

	DeliveryHandler create(QueueListenerEndpoint endpoint) {
		MethodParameter batch = batchParameter(endpoint);
		check(endpoint, batch);
		ListenerMethod method = new ListenerMethod(endpoint.bean(), endpoint.method());
		method.setMessageMethodArgumentResolvers(this.resolvers);
		return new MethodDeliveryHandler(method, batch, this.batches);
	}

	private void check(QueueListenerEndpoint endpoint, @Nullable MethodParameter batch) {
		List<MethodParameter> payloads = parameters(endpoint).stream().filter(this::isPayload).toList();
		if (payloads.size() > 1) {
			MethodParameter second = payloads.get(1);
			throw endpoint.invalid(
					"its parameters " + name(payloads.get(0)) + " and " + name(second) + " would both be the payload",
					"Take the payload in one parameter; mark others with @Header, or take an "
							+ "Acknowledgment or a DeliveryInfo");
		}
		for (MethodParameter payload : payloads) {
			if (!payload.hasParameterAnnotation(Payload.class) && isBean(payload.getParameterType())) {
				throw endpoint.invalid("its parameter " + name(payload) + " is the type of a bean, not of a payload",
						"Inject the bean into the constructor, or mark the parameter with @Payload");
			}
		}
		if (batch != null
				&& parameters(endpoint).stream().anyMatch((each) -> each.getParameterType() == DeliveryInfo.class)) {
			throw endpoint.invalid("a batch has no DeliveryInfo",
					"Take a List<Message<…>>, whose headers tell the same of each message");
		}
	}

	/**
	 * Whether a parameter was meant to be injected. Types of the JDK are payloads, though
	 * some are the types of beans.
	 */
	private boolean isBean(Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.getName().startsWith("java.")
				&& this.beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	private static String name(MethodParameter parameter) {
		return parameter.getParameterIndex() + " (" + parameter.getParameterType().getName() + ")";
	}

	private boolean isPayload(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return !isHeader(parameter) && type != Acknowledgment.class && type != DeliveryInfo.class
				&& !MessageHeaders.class.isAssignableFrom(type);
	}

	private static boolean isHeader(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(Header.class) || parameter.hasParameterAnnotation(Headers.class);
	}

	private static List<MethodParameter> parameters(QueueListenerEndpoint endpoint) {
		return Arrays.stream(new ListenerMethod(endpoint.bean(), endpoint.method()).getMethodParameters()).toList();
	}

}
