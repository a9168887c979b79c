package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import io.redelay.queue.AckMode;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.engine.BatchElements;
import io.redelay.queue.batch.engine.ElementsAcknowledgment;
import io.redelay.queue.claim.PullContainer;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.HandledMessage;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * Receives from the queues of one server. Has a container for each queue that is received
 * from, which stops when it was not used for a while.
 *
 * @since 0.1.0
 */
public final class QueueReceiverTemplate implements QueueReceiver, SmartLifecycle {

	private final QueueListenerContainerFactory factory;

	private final QueueListenerSupport support;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Duration shutdownTimeout;

	private final Map<String, PullContainer> containers = new ConcurrentHashMap<>();

	private volatile boolean running;

	/**
	 * Creates a receiver.
	 * @param factory whose containers use the same server
	 * @param support the configured settings of listeners, and what converts payloads
	 * @param beanFactory the beans that settings name
	 * @param shutdownTimeout how long to wait until received messages are settled when
	 * the application stops
	 */
	public QueueReceiverTemplate(QueueListenerContainerFactory factory, QueueListenerSupport support,
			ConfigurableListableBeanFactory beanFactory, Duration shutdownTimeout) {
		this.factory = factory;
		this.support = support;
		this.beanFactory = beanFactory;
		this.shutdownTimeout = shutdownTimeout;
	}

	@Override
	public List<ReceivedMessage<byte[]>> receive(String queue, int max, Duration wait) {
		return await(queue, receiveAsync(queue, max, wait));
	}

	@Override
	public <T> List<ReceivedMessage<T>> receive(String queue, Class<T> payload, int max, Duration wait) {
		return await(queue, receiveAsync(queue, payload, max, wait));
	}

	@Override
	public CompletableFuture<List<ReceivedMessage<byte[]>>> receiveAsync(String queue, int max, Duration wait) {
		return receive(queue, ResolvableType.forClass(byte[].class), max, wait);
	}

	@Override
	public <T> CompletableFuture<List<ReceivedMessage<T>>> receiveAsync(String queue, Class<T> payload, int max,
			Duration wait) {
		Assert.notNull(payload, "'payload' must not be null");
		return receive(queue, ResolvableType.forClass(payload), max, wait);
	}

	@Override
	public <T> CompletableFuture<List<ReceivedMessage<T>>> receiveAsync(String queue,
			ParameterizedTypeReference<T> payload, int max, Duration wait) {
		Assert.notNull(payload, "'payload' must not be null");
		return receive(queue, ResolvableType.forType(payload), max, wait);
	}

	@Override
	public BatchAcknowledgment together(List<? extends ReceivedMessage<?>> received) {
		return new ElementsAcknowledgment(new BatchElements(List.copyOf(received),
				received.stream().map(QueueReceiverTemplate::delivery).toList()));
	}

	private static Delivery delivery(ReceivedMessage<?> message) {
		if (message instanceof Received<?> own) {
			return own.received();
		}
		throw new IllegalArgumentException(
				"A " + message.getClass().getName() + " was not received by a QueueReceiver, so settle it by itself");
	}

	private <T> CompletableFuture<List<ReceivedMessage<T>>> receive(String queue, ResolvableType type, int max,
			Duration wait) {
		GroupName.checkQueue(queue);
		Assert.isTrue(max >= 1 && max <= PullContainer.MAX_UNSETTLED,
				() -> "'max' must be 1 to " + PullContainer.MAX_UNSETTLED + ": " + max);
		Assert.isTrue(!wait.isNegative() && DueTime.isPossible(wait), () -> "'wait' must be 0 to 3650 days: " + wait);
		Function<Delivery, ReceivedMessage<T>> converter = converter(queue, type);
		while (true) {
			if (!this.running) {
				throw new QueueException("Nothing can be received of the queue '" + queue
						+ "': the application has not started, or ends", null);
			}
			PullContainer container = this.containers.computeIfAbsent(queue, this::create);
			CompletableFuture<List<ReceivedMessage<T>>> received = container.receive(max, wait, converter);
			if (!this.running) {
				// It may have been created after all others were stopped.
				container.stop(Duration.ZERO);
			}
			if (received != null) {
				return received;
			}
			this.containers.remove(queue, container);
		}
	}

	@SuppressWarnings("unchecked")
	private <T> Function<Delivery, ReceivedMessage<T>> converter(String queue, ResolvableType type) {
		Method function = ReflectionUtils.findMethod(ListenerDefinition.MessageFunction.class, "handle", Object.class);
		Assert.state(function != null, "There is no method of functions");
		// In a Message, as a list would be taken for a batch.
		TypedParameter parameter = new TypedParameter(function, 0,
				ResolvableType.forClassWithGenerics(Message.class, type));
		PayloadArgumentResolver payloads = new PayloadArgumentResolver("receiver of the queue '" + queue + "'",
				this.support.converter(), this.support.validator(), List.of(PayloadShape.of(parameter)));
		CheckpointConverter checkpoints = new CheckpointConverter(this.support.converter());
		return (delivery) -> new Received<>(((Message<T>) payloads.take(parameter, delivery.message())).getPayload(),
				new HandledMessage(delivery, checkpoints), delivery);
	}

	private PullContainer create(String queue) {
		String id = "receiver(" + queue + ")";
		QueueListener annotation = AnnotationUtils.synthesizeAnnotation(new LinkedHashMap<>(), QueueListener.class,
				null);
		QueueListenerEndpoint endpoint = new QueueListenerEndpoint("queueReceiver", this, List.of(), false, null,
				annotation, id, "QueueReceiver of the queue '" + queue + "'");
		ListenerAttributes attributes = new ListenerAttributes(endpoint, this.beanFactory);
		ListenerDefaults defaults = this.support.defaults();
		ContainerSettings.QueueSettings ofQueue = new QueueSettingsResolver(attributes,
				new DeadLetterResolver(attributes, defaults.deadLetters()))
			.resolve(new DeclaredValues(attributes, queue, ListenerValues.NONE, defaults));
		if (ofQueue.idempotency() != null) {
			throw endpoint.invalid("idempotencyKey",
					"what is received is settled by hand, so it is not known when its handling begins and succeeds",
					"Leave redelay.queue.queues." + queue
							+ ".idempotency-key out, and use a @QueueListener where handlers are to succeed once");
		}
		return new PullContainer(
				new ContainerSettings(id, Map.of(queue, ofQueue),
						new ContainerSettings.Concurrency(PullContainer.MAX_UNSETTLED, PullContainer.MAX_UNSETTLED, 0),
						AckMode.MANUAL, ContainerSettings.Batch.NONE, true, List.of()),
				this.factory.runtime(), (idle) -> this.containers.remove(queue, idle));
	}

	static <T> List<ReceivedMessage<T>> await(String queue, CompletableFuture<List<ReceivedMessage<T>>> received) {
		try {
			return received.get();
		}
		catch (InterruptedException ex) {
			if (!received.cancel(true)) {
				// They arrived at the same time, and no caller will settle them.
				received.thenAccept((messages) -> messages.forEach(ReceivedMessage::giveBack));
			}
			Thread.currentThread().interrupt();
			throw new QueueException("The thread was interrupted while it received of the queue '" + queue + "'", ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof QueueException cause)
					? new QueueException(
							"Nothing could be received of the queue '" + queue + "': " + cause.getMessage(), cause)
					: new QueueException("Nothing could be received of the queue '" + queue + "'", ex.getCause());
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		stopAll().join();
	}

	@Override
	public void stop(Runnable callback) {
		stopAll().whenComplete((stopped, failure) -> callback.run());
	}

	private CompletableFuture<Void> stopAll() {
		this.running = false;
		List<PullContainer> stopped = List.copyOf(this.containers.values());
		this.containers.clear();
		return CompletableFuture.allOf(stopped.stream()
			.map((container) -> container.stop(this.shutdownTimeout))
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * A delivery with its converted payload. Equals itself only, whatever its payload is.
	 *
	 * @param <T> the type of the payload
	 * @param payload the payload
	 * @param delivery the delivery, as handlers see it
	 * @param received the delivery
	 */
	private record Received<T>(T payload, MessageDelivery delivery, Delivery received) implements ReceivedMessage<T> {

		@Override
		public MessageHeaders headers() {
			return this.received.message().getHeaders();
		}

		@Override
		public DeliveryInfo info() {
			return this.received.info();
		}

		@Override
		public CancellationToken cancellation() {
			return this.received.cancellation();
		}

		@Override
		public void giveBack() {
			this.received.giveBack();
		}

		@Override
		public boolean isSettled() {
			return this.received.isSettled();
		}

		@Override
		public void acknowledge() {
			this.received.acknowledge();
		}

		@Override
		public void nack() {
			this.received.nack();
		}

		@Override
		public void nack(Duration delay) {
			this.received.nack(delay);
		}

		@Override
		public void reject(String reason) {
			this.received.reject(reason);
		}

		@Override
		public boolean isCancelled() {
			return this.received.isCancelled();
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

		@Override
		public String toString() {
			return this.received.toString();
		}

	}

}
