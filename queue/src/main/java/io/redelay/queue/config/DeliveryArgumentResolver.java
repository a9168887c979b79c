package io.redelay.queue.config;

import java.util.Set;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.engine.ElementsAcknowledgment;
import io.redelay.queue.deadletter.DeathHeaders;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.HandledMessage;
import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.RecurringState;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.util.Assert;

/**
 * Passes to a handler the {@link Acknowledgment} or the {@link BatchAcknowledgment}, the
 * {@link DeliveryInfo}, the {@link MessageDelivery}, the {@link CancellationToken} and
 * the {@link Checkpoint} of the delivery, and the {@link FailedAttempt} with which a dead
 * letter died. In the place of the continuation of a suspend function stands the token,
 * which cancels it.
 */
record DeliveryArgumentResolver(CheckpointConverter checkpoints) implements HandlerMethodArgumentResolver {

	private static final Set<Class<?>> TYPES = Set.of(Acknowledgment.class, BatchAcknowledgment.class,
			DeliveryInfo.class, MessageDelivery.class, CancellationToken.class, Checkpoint.class, RecurringState.class,
			FailedAttempt.class);

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return isOfDelivery(parameter) || SuspendFunctions.isContinuation(parameter);
	}

	/**
	 * Returns whether a parameter takes something of the delivery, and not of the
	 * message.
	 */
	static boolean isOfDelivery(MethodParameter parameter) {
		return TYPES.contains(parameter.getParameterType());
	}

	/**
	 * Returns whether a parameter settles what is delivered.
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
		if (parameter.getParameterType() == CancellationToken.class || SuspendFunctions.isContinuation(parameter)) {
			return cancellation(message);
		}
		Object acknowledgment = message.getHeaders().get(QueueHeaders.ACKNOWLEDGMENT);
		if (isAcknowledgment(parameter)) {
			return acknowledgment;
		}
		Assert.state(acknowledgment instanceof Delivery,
				() -> "A batch has no " + parameter.getParameterType().getSimpleName());
		Delivery delivery = (Delivery) acknowledgment;
		if (parameter.getParameterType() == Checkpoint.class) {
			return delivery.checkpoint(this.checkpoints, PayloadShape.stateOf(parameter));
		}
		if (parameter.getParameterType() == RecurringState.class) {
			return (parameter.isOptional() && !delivery.isTick()) ? null
					: delivery.recurringState(this.checkpoints, PayloadShape.stateOf(parameter));
		}
		return (parameter.getParameterType() == MessageDelivery.class) ? new HandledMessage(delivery, this.checkpoints)
				: delivery.info();
	}

	/**
	 * Returns the token that signals to the handler of a message, or of a batch, to end.
	 */
	private static CancellationToken cancellation(Message<?> message) {
		Object acknowledgment = message.getHeaders().get(QueueHeaders.ACKNOWLEDGMENT);
		if (acknowledgment instanceof ElementsAcknowledgment batch) {
			return Delivery.cancellation(batch.deliveries());
		}
		Assert.state(acknowledgment instanceof Delivery, "Only a message that is delivered has a CancellationToken");
		return ((Delivery) acknowledgment).cancellation();
	}

}
