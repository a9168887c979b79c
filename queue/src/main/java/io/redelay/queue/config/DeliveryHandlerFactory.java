package io.redelay.queue.config;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.notes.CheckpointConverter;
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

	private final Executor executor;

	DeliveryHandlerFactory(ConfigurableListableBeanFactory beanFactory, MessageConverter converter,
			@Nullable Validator validator, Executor executor) {
		this.beanFactory = beanFactory;
		this.executor = executor;
		this.converter = converter;
		this.validator = validator;
	}

	/**
	 * Returns whether a listener takes batches. If it has several methods, all of them do
	 * or none.
	 */
	boolean takesBatches(QueueListenerEndpoint endpoint) {
		List<QueueListenerEndpoint> handlers = handlers(endpoint);
		boolean batches = batchParameter(handlers.get(0)) != null;
		for (QueueListenerEndpoint handler : handlers) {
			if ((batchParameter(handler) != null) != batches) {
				throw handler.invalid(
						batches ? "it takes one message, and another method of the listener takes batches"
								: "it takes batches, and another method of the listener takes one message",
						"Give all @QueueHandler methods of the class a List parameter, or none of them");
			}
		}
		return batches;
	}

	private static List<QueueListenerEndpoint> handlers(QueueListenerEndpoint endpoint) {
		return endpoint.ofClass() ? endpoint.methods().stream().map(endpoint::handler).toList() : List.of(endpoint);
	}

	/**
	 * Finds the parameter of a method that takes a batch.
	 */
	private static @Nullable MethodParameter batchParameter(QueueListenerEndpoint endpoint) {
		return parameters(endpoint).stream().filter(PayloadShape::isBatch).findFirst().orElse(null);
	}

	/**
	 * Checks that a method can be given the payloads that gather in one message.
	 */
	void checkAggregate(QueueListenerEndpoint endpoint, String queue) {
		handlers(endpoint).forEach((handler) -> checkHandlerOfAggregates(handler, queue));
	}

	private static void checkHandlerOfAggregates(QueueListenerEndpoint endpoint, String queue) {
		parameters(endpoint).stream()
			.filter(ListenerParameterCheck::takesMessage)
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
		return shape.inBatch() || shape.takesAnything() || type.isArray() || type == Object.class
				|| Iterable.class.isAssignableFrom(type) || parameter.hasParameterAnnotation(Payload.class);
	}

	DeliveryHandler create(QueueListenerEndpoint endpoint) {
		if (!endpoint.ofClass()) {
			return handler(endpoint);
		}
		PayloadTypeDeliveryHandler handlers = new PayloadTypeDeliveryHandler(endpoint, this.beanFactory);
		handlers(endpoint).forEach((handler) -> {
			MethodParameter parameter = messageParameter(handler);
			handlers.add(handler, (parameter != null) ? PayloadShape.of(parameter).rawType() : null, handler(handler));
		});
		return handlers;
	}

	private DeliveryHandler handler(QueueListenerEndpoint endpoint) {
		new ListenerMethodCheck(endpoint, parameters(endpoint), this.beanFactory, this.validator != null).check();
		PayloadArgumentResolver payloads = new PayloadArgumentResolver(endpoint.toString(), this.converter,
				this.validator, parameters(endpoint).stream().map(PayloadShape::of).toList());
		HandlerMethodArgumentResolverComposite resolvers = new HandlerMethodArgumentResolverComposite();
		resolvers.addResolvers(new DeliveryArgumentResolver(new CheckpointConverter(this.converter)),
				new NextStepArgumentResolver(this.beanFactory.getBeanProvider(QueueOperations.class)),
				new HeaderMethodArgumentResolver(this.conversion, this.beanFactory),
				new HeadersMethodArgumentResolver(), payloads);
		KotlinCall kotlin = KotlinCall.of(endpoint, this.executor);
		ListenerMethod method = new ListenerMethod(endpoint, kotlin);
		method.setMessageMethodArgumentResolvers(resolvers);
		return new MethodDeliveryHandler(method, batchParameter(endpoint), payloads, converter(endpoint, payloads),
				endpoint.annotation().ackMode(), kotlin == null && takesPayload(parameters(endpoint)));
	}

	/**
	 * Returns whether parameters take the payload of one message, and nothing else.
	 */
	private static boolean takesPayload(List<MethodParameter> parameters) {
		return parameters.size() == 1 && ListenerParameterCheck.isPayload(parameters.get(0))
				&& !PayloadShape.isBatch(parameters.get(0));
	}

	private static Function<Message<?>, Message<?>> converter(QueueListenerEndpoint endpoint,
			PayloadArgumentResolver payloads) {
		MethodParameter parameter = messageParameter(endpoint);
		return (parameter == null) ? (message) -> message : (message) -> {
			Object converted = payloads.take(parameter, message);
			return (converted instanceof Message<?> whole) ? whole
					: MessageBuilder.createMessage(converted, message.getHeaders());
		};
	}

	/**
	 * Finds the parameter of a method that takes the message or its payload.
	 */
	private static @Nullable MethodParameter messageParameter(QueueListenerEndpoint endpoint) {
		return parameters(endpoint).stream().filter(ListenerParameterCheck::takesMessage).findFirst().orElse(null);
	}

	private static List<MethodParameter> parameters(QueueListenerEndpoint endpoint) {
		return ListenerMethod.parameters(endpoint);
	}

}
