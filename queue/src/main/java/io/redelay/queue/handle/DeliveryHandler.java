package io.redelay.queue.handle;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.PayloadConversionException;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Handles the deliveries of a container.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DeliveryHandler {

	/**
	 * Handles deliveries.
	 * @param deliveries one delivery, or a batch from one queue by the container's
	 * settings
	 * @return a stage to wait for, or {@code null} if the handling is complete
	 * @throws PayloadConversionException if a delivery cannot be converted for the
	 * handler
	 * @throws Throwable if the handling failed
	 */
	@Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable;

	/**
	 * Returns a delivered message as this handler takes it.
	 * @param delivery the delivery
	 * @return the message, its payload converted if the handler has it converted
	 */
	default Message<?> message(Delivery delivery) {
		return delivery.message();
	}

}
