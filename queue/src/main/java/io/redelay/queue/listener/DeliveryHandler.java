package io.redelay.queue.listener;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.redelay.queue.PayloadConversionException;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Handles what a container delivers.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface DeliveryHandler {

	/**
	 * Handles deliveries.
	 * @param deliveries one, or a batch from one queue if the container's settings say so
	 * @return what to wait for, or {@code null} if the handling is complete
	 * @throws PayloadConversionException if a delivery cannot be converted for the
	 * handler
	 * @throws Throwable if the handling failed
	 */
	@Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable;

	/**
	 * Gives a delivered message as this handler takes it.
	 * @param delivery the delivery
	 * @return the message, its payload converted if the handler has it converted
	 */
	default Message<?> message(Delivery delivery) {
		return delivery.message();
	}

}
