package io.redelay.queue.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.redelay.queue.AckMode;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.batch.engine.BatchCall;
import io.redelay.queue.batch.engine.BatchElements;
import io.redelay.queue.batch.engine.ElementsAcknowledgment;
import io.redelay.queue.batch.engine.HandlerResults;
import io.redelay.queue.handle.BatchParts;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.message.EnvelopeCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Calls a listener's method with the messages that were delivered.
 */
final class MethodDeliveryHandler implements DeliveryHandler {

	private final EnvelopeCodec codec = new EnvelopeCodec();

	private final ListenerMethod method;

	private final @Nullable MethodParameter list;

	private final PayloadArgumentResolver payloads;

	private final Function<Message<?>, Message<?>> converter;

	private final AckMode ackMode;

	/**
	 * Whether the method takes the payload of one message and nothing else, so that it
	 * can be called without a {@link Message}.
	 */
	private final boolean takesPayload;

	/**
	 * Creates a handler.
	 * @param method the method
	 * @param list its parameter for a batch, if it takes batches
	 * @param payloads converts the payload, or the elements of a batch
	 * @param converter converts a message to what the method takes
	 * @param ackMode how messages are acknowledged
	 * @param takesPayload whether the method takes the payload of one message and nothing
	 * else
	 */
	MethodDeliveryHandler(ListenerMethod method, @Nullable MethodParameter list, PayloadArgumentResolver payloads,
			Function<Message<?>, Message<?>> converter, AckMode ackMode, boolean takesPayload) {
		this.method = method;
		this.list = list;
		this.payloads = payloads;
		this.converter = converter;
		this.ackMode = ackMode;
		this.takesPayload = takesPayload;
	}

	@Override
	public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable {
		if (this.list != null) {
			return handleBatch(deliveries, this.list);
		}
		Delivery delivery = deliveries.get(0);
		Object payload = this.takesPayload ? payload(delivery) : null;
		Object returned = (payload != null) ? this.method.doInvoke(payload) : this.method.invoke(delivery.message());
		CompletionStage<?> awaited = HandlerResults.await(returned);
		if (awaited == null) {
			delivery.returned(returned);
		}
		return awaited;
	}

	/**
	 * Returns the payload of a message that comes as it was sent, or {@code null} if a
	 * {@link Message} is needed to find it.
	 */
	private @Nullable Object payload(Delivery delivery) {
		try {
			return this.payloads.read(delivery, 0);
		}
		catch (RuntimeException ex) {
			throw this.method.conversionFailure(ex);
		}
	}

	@Override
	public Message<?> message(Delivery delivery) {
		if (this.list != null && delivery.isAggregate()) {
			return MessageBuilder.createMessage(elements(delivery, this.list), delivery.message().getHeaders());
		}
		return this.converter.apply(delivery.message());
	}

	private @Nullable CompletionStage<?> handleBatch(List<Delivery> deliveries, MethodParameter list) throws Throwable {
		List<Object> elements = new ArrayList<>(deliveries.size());
		List<Delivery> fitting = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			try {
				Object element = this.payloads.read(delivery, list.getParameterIndex());
				if (element != null) {
					elements.add(element);
				}
				else {
					elements.addAll(elements(delivery, list));
				}
				fitting.add(delivery);
			}
			catch (RuntimeException ex) {
				delivery.conversionFailed(this.method.conversionFailure(ex));
			}
		}
		if (fitting.isEmpty()) {
			return null;
		}
		BatchElements given = new BatchElements(elements, fitting);
		Message<?> message = new GenericMessage<>(elements, Map.of(QueueHeaders.QUEUE, fitting.get(0).info().queue(),
				QueueHeaders.ACKNOWLEDGMENT, new ElementsAcknowledgment(given)));
		BatchCall call = new BatchCall(given, this.ackMode);
		return BatchParts.handlePart(fitting, deliveries, (part) -> call.handle(() -> this.method.invoke(message)));
	}

	/**
	 * The elements for which a delivery stands in the list: one, or those that gathered
	 * in it.
	 */
	private List<Object> elements(Delivery delivery, MethodParameter list) {
		Message<?> message = delivery.message();
		if (!delivery.isAggregate()) {
			return List.of(this.payloads.take(list, message));
		}
		Collection<?> payloads = (message.getPayload() instanceof byte[] bytes) ? this.codec.elements(bytes)
				: (message.getPayload() instanceof Collection<?> replaced) ? replaced : List.of(message.getPayload());
		List<Object> elements = new ArrayList<>(payloads.size());
		for (Object payload : payloads) {
			elements.add(this.payloads.take(list, MessageBuilder.createMessage(payload, message.getHeaders())));
		}
		return elements;
	}

}
