package io.redelay.queue.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.handle.BatchParts;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Passes each delivery to the method of a class that handles its payload type. A batch is
 * divided into one part for each method.
 *
 * @param listener the listener, in words
 * @param handlers calls the methods, by the payload types they handle
 * @param byDefault calls the method for all others, if there is one
 * @param acknowledges whether messages are acknowledged when their method has
 * returned
 */
record PayloadTypeDeliveryHandler(String listener, Map<String, DeliveryHandler> handlers, @Nullable DeliveryHandler byDefault, boolean acknowledges) implements DeliveryHandler {

	PayloadTypeDeliveryHandler {
		handlers = Map.copyOf(handlers);
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
		Object type = delivery.message().getHeaders().get(QueueHeaders.PAYLOAD_TYPE);
		DeliveryHandler handler = (type != null) ? this.handlers.get(type.toString()) : null;
		if (handler == null) {
			handler = this.byDefault;
		}
		if (handler == null) {
			throw new PayloadConversionException(PayloadArgumentResolver.doesNotFit(this.listener) + ", of which no"
					+ " @QueueHandler method handles "
					+ ((type != null) ? "the payload type '" + type + "'" : "messages without a payload type")
					+ ": they handle " + this.handlers.keySet().stream().sorted().toList(), null);
		}
		return handler;
	}

}
