package io.redelay.queue.handle;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.work.CancellationMode;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all invocations of one listener's handler share.
 *
 * @param settings the settings of the listener
 * @param handler the handler
 * @param executor the threads it runs on
 * @param observations observes it
 * @param log logs handled messages, or {@code null} for no such log
 */
record InvocationContext(ContainerSettings settings, DeliveryHandler handler, HandlerExecutor executor,
		HandlerObservations observations, @Nullable MessageLog log) {

	static InvocationContext of(ContainerSettings settings, DeliveryHandler handler, HandlerRuntime runtime) {
		return new InvocationContext(settings, handler, new HandlerExecutor(settings.id(), runtime),
				new HandlerObservations(settings.id(), runtime.observations(), runtime.convention(), runtime.meters()),
				runtime.log());
	}

	String listener() {
		return this.settings.id();
	}

	/**
	 * Returns the recovery by the error handler of a queue, or {@code null} if it has
	 * none.
	 */
	@Nullable Recovery recovery(String queue) {
		QueueErrorHandler errorHandler = this.settings.queue(queue).errorHandler();
		return (errorHandler != null) ? new Recovery(errorHandler, this.handler) : null;
	}

	/**
	 * Returns whether a handler of a queue is interrupted when its message is cancelled.
	 */
	boolean interrupts(String queue) {
		return this.settings.queue(queue).cancellation() == CancellationMode.INTERRUPT;
	}

	/**
	 * Returns how long an invocation may take: the shortest limit of its messages. Each
	 * has its own limit or that of its queue.
	 */
	@Nullable Duration maxHandlingTime(List<Delivery> deliveries) {
		Duration ofQueue = this.settings.queue(deliveries.get(0).queue()).maxHandlingTime();
		Duration shortest = null;
		for (Delivery delivery : deliveries) {
			Duration own = delivery.envelope().handling().maxHandlingTime();
			Duration limit = (own != null) ? own : ofQueue;
			if (limit != null && (shortest == null || limit.compareTo(shortest) < 0)) {
				shortest = limit;
			}
		}
		return shortest;
	}

	/**
	 * Logs that messages are passed to the handler, where this is enabled.
	 */
	void logHandling(List<Delivery> deliveries) {
		MessageLog messages = this.log;
		if (messages != null && messages.isEnabled()) {
			deliveries.forEach((delivery) -> messages.handling(delivery.info(), listener(),
					delivery.envelope().payload(), delivery.envelope().contentType()));
		}
	}

}
