package io.redelay.queue.config;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.BatchAcknowledgment;
import io.redelay.queue.CancellationToken;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageDelivery;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.listener.Delivery;
import io.redelay.queue.listener.HandledMessage;
import io.redelay.queue.listener.deadletter.DeathHeaders;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.util.Assert;

/**
 * Passes to a handler the {@link Acknowledgment} or {@link BatchAcknowledgment}, the
 * {@link DeliveryInfo}, the {@link MessageDelivery} and the {@link CancellationToken} of the delivery, and the
 * {@link FailedAttempt} with which a dead letter died.
 */
final class DeliveryArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return isAcknowledgment(parameter) || parameter.getParameterType() == DeliveryInfo.class
				|| parameter.getParameterType() == MessageDelivery.class
				|| parameter.getParameterType() == CancellationToken.class
				|| parameter.getParameterType() == FailedAttempt.class;
	}

	/**
	 * Tells whether a parameter settles what is delivered.
	 */
	static boolean isAcknowledgment(MethodParameter parameter) {
		return parameter.getParameterType() == Acknowledgment.class
				|| parameter.getParameterType() == BatchAcknowledgment.class;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		if (parameter.getParameterType() == FailedAttempt.class) {
			return DeathHeaders.read(message.getHeaders());
		}
		Object acknowledgment = message.getHeaders().get(QueueHeaders.ACKNOWLEDGMENT);
		if (isAcknowledgment(parameter)) {
			return acknowledgment;
		}
		if (parameter.getParameterType() == CancellationToken.class
				&& acknowledgment instanceof ElementsAcknowledgment batch) {
			return Delivery.cancellation(batch.deliveries());
		}
		Assert.state(acknowledgment instanceof Delivery,
				() -> "A batch has no " + parameter.getParameterType().getSimpleName());
		Delivery delivery = (Delivery) acknowledgment;
		if (parameter.getParameterType() == CancellationToken.class) {
			return delivery.cancellation();
		}
		return (parameter.getParameterType() == MessageDelivery.class) ? new HandledMessage(delivery)
				: delivery.info();
	}

}
