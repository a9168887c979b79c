package io.redelay.queue.config;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.AckMode;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.listener.QueueHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Gathers the {@link QueueHandler @QueueHandler} methods of a class by their payload
 * types, and rejects those whose payload type is unclear.
 */
final class PayloadTypeHandlers {

	private final QueueListenerEndpoint endpoint;

	private final AttributeResolver attributes;

	private final Map<String, Declared> handlers = new LinkedHashMap<>();

	private @Nullable Declared byDefault;

	PayloadTypeHandlers(QueueListenerEndpoint endpoint, AttributeResolver attributes) {
		this.endpoint = endpoint;
		this.attributes = attributes;
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
				throw method.invalid("value", "the payload type '" + name + "' is handled by the method "
						+ other.method().method().getName() + " already", "Let one of the two methods handle it");
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
		List<String> names = this.attributes.texts(method, "value", declared).stream().distinct().toList();
		if (names.isEmpty() && payload != null) {
			String name = HandlingOptions.payloadTypeOf(payload);
			return (name != null) ? List.of(name) : List.of();
		}
		return names;
	}

	DeliveryHandler create() {
		Map<String, DeliveryHandler> byType = new HashMap<>();
		this.handlers.forEach((name, declared) -> byType.put(name, declared.handler()));
		return new PayloadTypeDeliveryHandler(this.endpoint.toString(), byType,
				(this.byDefault != null) ? this.byDefault.handler() : null,
				this.endpoint.annotation().ackMode() == AckMode.AUTO);
	}

	/**
	 * A method, and what calls it.
	 */
	private record Declared(QueueListenerEndpoint method, DeliveryHandler handler) {
	}

}
