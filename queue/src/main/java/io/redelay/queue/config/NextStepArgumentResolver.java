package io.redelay.queue.config;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.work.NextStep;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * Passes a {@link NextStep} to a handler, which sends with the acknowledgement of the
 * handled messages, on any thread.
 */
record NextStepArgumentResolver(ObjectProvider<QueueOperations> operations) implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.getParameterType() == NextStep.class;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Object handling = DeliveryScope.current();
		if (handling == null) {
			throw new IllegalStateException("A NextStep is for handlers of messages only");
		}
		QueueOperations sender = sender(handling);
		return (NextStep) (next) -> {
			try (DeliveryScope scope = DeliveryScope.open(handling)) {
				return sender.send(next.inDelivery());
			}
		};
	}

	/**
	 * Returns what sends to the server of the message that is handled, if there are
	 * several servers.
	 */
	private QueueOperations sender(Object handling) {
		QueueOperations usual = this.operations.getIfUnique();
		if (usual != null && sends(usual, handling)) {
			return usual;
		}
		return this.operations.stream()
			.filter((each) -> each instanceof QueueTemplate && sends(each, handling))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"No QueueTemplate bean sends to the server of the listener, so there is nothing to make a NextStep of; "
							+ "declare QueueServer.template() as a bean"));
	}

	private static boolean sends(@Nullable QueueOperations operations, Object handling) {
		return !(operations instanceof QueueTemplate template) || !(handling instanceof NextMessages collected)
				|| template.canSendWith(collected);
	}

}
