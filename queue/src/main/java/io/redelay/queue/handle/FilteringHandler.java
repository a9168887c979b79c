package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.redelay.log.PlainLog;
import io.redelay.queue.AckMode;
import io.redelay.queue.listener.DeliveryFilter;
import io.redelay.queue.observation.QueueProcessContext;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * A handler that passes on only the messages that the {@link DeliveryFilter} of their
 * queue accepts. The others are acknowledged. If the filter fails for a message, the
 * handling of that message has failed; the others of its batch are handled.
 *
 * @param handler the handler
 * @param settings the settings of its container
 */
record FilteringHandler(DeliveryHandler handler, ContainerSettings settings) implements DeliveryHandler {

	private static final Log logger = PlainLog.of(FilteringHandler.class);

	/**
	 * Creates such a handler.
	 * @return the given handler if no queue of the container has a filter
	 */
	static DeliveryHandler of(DeliveryHandler handler, ContainerSettings settings) {
		return settings.queues().values().stream().anyMatch((each) -> each.filters().handler() != null)
				? new FilteringHandler(handler, settings) : handler;
	}

	@Override
	public Message<?> message(Delivery delivery) {
		return this.handler.message(delivery);
	}

	@Override
	public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable {
		DeliveryFilter filter = this.settings.queue(deliveries.get(0).queue()).filters().handler();
		if (filter == null) {
			return this.handler.handle(deliveries);
		}
		if (deliveries.size() == 1) {
			return isAccepted(filter, deliveries.get(0)) ? this.handler.handle(deliveries) : null;
		}
		return handleBatch(filter, deliveries);
	}

	private @Nullable CompletionStage<?> handleBatch(DeliveryFilter filter, List<Delivery> deliveries)
			throws Throwable {
		List<Delivery> accepted = new ArrayList<>(deliveries.size());
		Map<DeliveryHandler, List<Delivery>> failed = new LinkedHashMap<>();
		for (Delivery delivery : deliveries) {
			try {
				if (isAccepted(filter, delivery)) {
					accepted.add(delivery);
				}
			}
			catch (Throwable ex) {
				failed.put(new Failing(ex), List.of(delivery));
			}
		}
		if (failed.isEmpty()) {
			return accepted.isEmpty() ? null : BatchParts.handlePart(accepted, deliveries, this.handler);
		}
		Map<DeliveryHandler, List<Delivery>> parts = new LinkedHashMap<>();
		if (!accepted.isEmpty()) {
			parts.put(this.handler, accepted);
		}
		parts.putAll(failed);
		return new BatchParts(deliveries, this.settings.ackMode() == AckMode.AUTO).handle(parts);
	}

	private boolean isAccepted(DeliveryFilter filter, Delivery delivery) throws Exception {
		if (filter.accepts(delivery.message())) {
			return true;
		}
		if (logger.isDebugEnabled()) {
			logger.debug("The " + delivery + " is acknowledged unhandled: the filter of the listener '"
					+ this.settings.id() + "' does not accept it");
		}
		delivery.settlement().acknowledgeUnhandled(QueueProcessContext.FILTERED);
		return false;
	}

	/**
	 * Stands for the handler of a message whose filter failed. Each instance is a key of
	 * its own, even for equal failures.
	 */
	private static final class Failing implements DeliveryHandler {

		private final Throwable failure;

		Failing(Throwable failure) {
			this.failure = failure;
		}

		@Override
		public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable {
			throw this.failure;
		}

	}

}
