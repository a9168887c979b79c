package io.redelay.queue.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.AckMode;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.handle.BatchParts;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.listener.QueueHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.Message;

/**
 * Passes each delivery to the {@link QueueHandler @QueueHandler} method of a class that
 * handles its payload type, and rejects methods whose payload type is unclear. A batch is
 * divided into one part for each method.
 */
final class PayloadTypeDeliveryHandler implements DeliveryHandler {

	private final QueueListenerEndpoint endpoint;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Whether messages are acknowledged when their method has returned.
	 */
	private final boolean acknowledges;

	private final Map<String, Declared> handlers = new LinkedHashMap<>();

	private @Nullable Declared byDefault;

	PayloadTypeDeliveryHandler(QueueListenerEndpoint endpoint, ConfigurableListableBeanFactory beanFactory) {
		this.endpoint = endpoint;
		this.beanFactory = beanFactory;
		this.acknowledges = endpoint.annotation().ackMode() == AckMode.AUTO;
	}

	/**
	 * Adds a method.
	 * @param method the method
	 * @param payload the class of the payload that it takes, or {@code null} if it takes
	 * none
	 * @param handler calls the method
	 */
	void add(QueueListenerEndpoint method, @Nullable Class<?> payload, DeliveryHandler handler) {
		QueueHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method.method(), QueueHandler.class);
		boolean isDefault = annotation != null && annotation.isDefault();
		List<String> names = names(method, (annotation != null) ? annotation.value() : new String[0], payload);
		if (names.isEmpty() && !isDefault) {
			throw method.invalid("value",
					"no payload type is named, and "
							+ ((payload != null) ? payload.getName() + " has no @PayloadType that names one"
									: "the method takes no payload whose @PayloadType could name one"),
					"Name it, as in @QueueHandler(\"order-placed\"); or give the payload's class the @PayloadType with "
							+ "which it is sent; or set isDefault = true for all that no other method handles");
		}
		Declared declared = new Declared(method, handler);
		for (String name : names) {
			Declared other = this.handlers.putIfAbsent(name, declared);
			if (other != null) {
				throw method.invalid(
						"value", "the payload type '" + name + "' is handled by the method "
								+ other.method().method().getName() + " already",
						"Let one of the two methods handle it");
			}
		}
		if (isDefault) {
			Declared other = this.byDefault;
			if (other != null) {
				throw method.invalid("isDefault",
						"the method " + other.method().method().getName() + " handles what no other one does already",
						"Leave isDefault out in one of the two methods");
			}
			this.byDefault = declared;
		}
	}

	private List<String> names(QueueListenerEndpoint method, String[] declared, @Nullable Class<?> payload) {
		List<String> names = new ListenerAttributes(method, this.beanFactory).texts("value", declared)
			.stream()
			.distinct()
			.toList();
		if (names.isEmpty() && payload != null) {
			String name = HandlingOptions.payloadTypeOf(payload);
			return (name != null) ? List.of(name) : List.of();
		}
		return names;
	}

	@Override
	public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable {
		if (deliveries.size() == 1) {
			return handler(deliveries.get(0)).handle(deliveries);
		}
		Map<DeliveryHandler, List<Delivery>> parts = new LinkedHashMap<>();
		for (Delivery delivery : deliveries) {
			try {
				parts.computeIfAbsent(handler(delivery), (handler) -> new ArrayList<>()).add(delivery);
			}
			catch (PayloadConversionException ex) {
				delivery.conversionFailed(ex);
			}
		}
		return new BatchParts(deliveries, this.acknowledges).handle(parts);
	}

	@Override
	public Message<?> message(Delivery delivery) {
		return handler(delivery).message(delivery);
	}

	private DeliveryHandler handler(Delivery delivery) {
		String type = delivery.payloadType();
		Declared declared = (type != null) ? this.handlers.getOrDefault(type, this.byDefault) : this.byDefault;
		if (declared == null) {
			throw new PayloadConversionException(PayloadArgumentResolver.doesNotFit(this.endpoint.toString())
					+ ", of which no @QueueHandler method handles "
					+ ((type != null) ? "the payload type '" + type + "'" : "messages without a payload type")
					+ ": they handle " + this.handlers.keySet().stream().sorted().toList(), null);
		}
		return declared.handler();
	}

	/**
	 * A method, and what calls it.
	 */
	private record Declared(QueueListenerEndpoint method, DeliveryHandler handler) {
	}

}
