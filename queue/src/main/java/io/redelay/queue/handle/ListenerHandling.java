package io.redelay.queue.handle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.failure.FailurePolicy;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.CancellationMode;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a container, and what its invocations and its deliveries share.
 */
public final class ListenerHandling {

	private final ContainerSettings settings;

	private final EnvelopeCodec codec;

	private final Scheduler scheduler;

	private final HandlerRuntime handlers;

	private final FailureRuntime failures;

	private final DeadLetterCourier deadLetters;

	private final EarlyStops stops;

	/**
	 * Handles messages that have an idempotency key; {@code null} without idempotency.
	 */
	private final @Nullable IdempotentHandler idempotent;

	/**
	 * The handler, behind the filters.
	 */
	private final DeliveryHandler handler;

	private final HandlerExecutor executor;

	private final HandlerObservations observations;

	/**
	 * Creates the handling of a container.
	 * @param settings the settings of the container
	 * @param handler handles the deliveries
	 * @param scripts reach the idempotency keys
	 * @param codec reads envelopes
	 * @param scheduler the clock
	 * @param handlers the shared parts that call handlers
	 * @param failures the shared parts that record and report failures
	 * @param deadLetters forwards messages with dead-letter queues of their own
	 */
	public ListenerHandling(ContainerSettings settings, DeliveryHandler handler, QueueScripts scripts,
			EnvelopeCodec codec, Scheduler scheduler, HandlerRuntime handlers, FailureRuntime failures,
			DeadLetterCourier deadLetters) {
		this.settings = settings;
		this.codec = codec;
		this.scheduler = scheduler;
		this.handlers = handlers;
		this.failures = failures;
		this.deadLetters = deadLetters;
		this.stops = new EarlyStops(settings.id());
		this.idempotent = IdempotentHandler.of(handler, settings, scripts, scheduler, handlers.duplicates());
		this.handler = FilteringHandler.of((this.idempotent != null) ? this.idempotent : handler, settings);
		this.executor = new HandlerExecutor(settings.id(), handlers.executor(), handlers.scheduler());
		this.observations = new HandlerObservations(settings.id(), handlers.observations(), handlers.convention(),
				handlers.meters());
	}

	/**
	 * Prepares for messages, when the container starts.
	 */
	public void start() {
		if (this.idempotent != null) {
			this.idempotent.start();
		}
	}

	/**
	 * Frees the idempotency keys of the messages whose handlers still run, because the
	 * container gives these messages back.
	 * @return a future that completes when this was tried
	 */
	public CompletableFuture<Void> handBack() {
		return (this.idempotent != null) ? this.idempotent.handBack() : CompletableFuture.completedFuture(null);
	}

	/**
	 * Creates a dispatcher that calls the handler.
	 */
	public DeliveryDispatcher dispatcher(HandlerPermits permits) {
		return new MessageDispatcher(this, permits);
	}

	/**
	 * Creates a dispatcher that passes the messages of a queue to receivers.
	 * @param owners returns the owners that claim for the receivers
	 * @param look has them claim
	 */
	public ReceiveRequests receivers(String queue, HandlerPermits permits,
			Supplier<List<? extends DeliveryOwner>> owners, Runnable look) {
		return new ReceiveRequests(queue, this, permits, owners, look);
	}

	/**
	 * Creates what the deliveries from one partition of a queue share.
	 * @param partitions how many partitions the queue has
	 */
	public DeliveryContext deliveries(String queue, String partition, int partitions) {
		ContainerSettings.QueueSettings each = this.settings.queue(queue);
		RetentionSettings kept = each.retention();
		return new DeliveryContext(queue, partition, this.settings.id(), this.codec,
				new DeliveryContext.Failures(
						new FailurePolicy(this.settings.id(), each.failures().retries(), this.failures),
						this.deadLetters, this.stops),
				this.scheduler,
				new Completions((kept != null) ? kept.share(partitions) : null, this.handlers.converter()));
	}

	ContainerSettings settings() {
		return this.settings;
	}

	String listener() {
		return this.settings.id();
	}

	DeliveryHandler handler() {
		return this.handler;
	}

	HandlerExecutor executor() {
		return this.executor;
	}

	HandlerObservations observations() {
		return this.observations;
	}

	/**
	 * Returns the recovery by the error handler of a queue, or {@code null} if it has
	 * none.
	 */
	FailedHandling.@Nullable Recovery recovery(String queue) {
		QueueErrorHandler errorHandler = this.settings.queue(queue).failures().errorHandler();
		return (errorHandler != null) ? new FailedHandling.Recovery(errorHandler, this.handler) : null;
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
		MessageLog messages = this.handlers.log();
		if (messages != null && messages.isEnabled()) {
			deliveries.forEach((delivery) -> messages.handling(delivery.info(), listener(),
					delivery.envelope().payload(), delivery.envelope().contentType()));
		}
	}

}
