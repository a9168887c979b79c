package io.redelay.queue.config;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import io.redelay.queue.listener.DeliveryHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.validation.Validator;

/**
 * Creates handlers of methods, with the resolvers of their arguments.
 */
final class DeliveryHandlerFactory {

	private final ConfigurableListableBeanFactory beanFactory;

	private final MessageConverter converter;

	private final @Nullable Validator validator;

	private final ConversionService conversion = new DefaultFormattingConversionService();

	DeliveryHandlerFactory(ConfigurableListableBeanFactory beanFactory, MessageConverter converter,
			@Nullable Validator validator) {
		this.beanFactory = beanFactory;
		this.converter = converter;
		this.validator = validator;
	}

	/**
	 * Finds the parameter of a method that takes a batch.
	 */
	@Nullable MethodParameter batchParameter(QueueListenerEndpoint endpoint) {
		return parameters(endpoint).stream().filter(BatchArgumentResolver::isBatch).findFirst().orElse(null);
	}

	/**
	 * Checks that a method can be given the payloads that gather in one message.
	 */
	void checkAggregate(QueueListenerEndpoint endpoint, String queue) {
		parameters(endpoint).stream()
			.filter(ListenerMethodCheck::takesMessage)
			.filter((parameter) -> !takesList(parameter))
			.findFirst()
			.ifPresent((parameter) -> {
				String type = PayloadShape.of(parameter).rawType().getSimpleName();
				throw endpoint.invalid(
						"the payloads of the queue '" + queue + "' gather, as 'redelay.queue.queues." + queue
								+ ".deduplication.mode' says, and its parameter " + parameter.getParameterIndex()
								+ " takes one " + type,
						"Take a List<" + type + ">, or a Message<?> for the JSON as it is; or mark the parameter with "
								+ "@Payload if " + type + " is made of a list");
			});
	}

	private static boolean takesList(MethodParameter parameter) {
		PayloadShape shape = PayloadShape.of(parameter);
		Class<?> type = shape.rawType();
		return shape.isInBatch() || shape.takesAnything() || type.isArray() || type == Object.class
				|| Iterable.class.isAssignableFrom(type) || parameter.hasParameterAnnotation(Payload.class);
	}

	DeliveryHandler create(QueueListenerEndpoint endpoint) {
		new ListenerMethodCheck(this.beanFactory, this.validator != null).check(endpoint, parameters(endpoint));
		PayloadArgumentResolver payloads = new PayloadArgumentResolver(endpoint.toString(), this.converter,
				this.validator, parameters(endpoint).stream().map(PayloadShape::of).toList());
		BatchArgumentResolver batches = new BatchArgumentResolver(payloads);
		HandlerMethodArgumentResolverComposite resolvers = new HandlerMethodArgumentResolverComposite();
		resolvers.addResolvers(new DeliveryArgumentResolver(), batches,
				new HeaderMethodArgumentResolver(this.conversion, this.beanFactory),
				new HeadersMethodArgumentResolver(), payloads);
		ListenerMethod method = new ListenerMethod(endpoint);
		method.setMessageMethodArgumentResolvers(resolvers);
		return new MethodDeliveryHandler(method, batchParameter(endpoint), batches, converter(endpoint, payloads));
	}

	private static Function<Message<?>, Message<?>> converter(QueueListenerEndpoint endpoint,
			PayloadArgumentResolver payloads) {
		MethodParameter parameter = parameters(endpoint).stream()
			.filter(ListenerMethodCheck::takesMessage)
			.findFirst()
			.orElse(null);
		if (parameter == null) {
			return (message) -> message;
		}
		return (message) -> {
			Object converted = payloads.take(parameter, message);
			return (converted instanceof Message<?> whole) ? whole
					: MessageBuilder.createMessage(converted, message.getHeaders());
		};
	}

	private static List<MethodParameter> parameters(QueueListenerEndpoint endpoint) {
		return Arrays.stream(new ListenerMethod(endpoint).getMethodParameters()).toList();
	}

}
