package io.redelay.queue.handle;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.failure.FailurePolicy;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.QueueScripts;
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

	private final InvocationContext invocations;

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
		this.invocations = InvocationContext.of(settings,
				FilteringHandler.of((this.idempotent != null) ? this.idempotent : handler, settings), handlers);
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
	 * @param pace learns how long the handler takes
	 */
	public DeliveryDispatcher dispatcher(HandlerPermits permits, HandlingTimeEstimate pace) {
		return new MessageDispatcher(this.invocations, permits, pace);
	}

	/**
	 * Creates a dispatcher that passes the messages of a queue to receivers.
	 * @param owners returns the owners that claim for the receivers
	 * @param look has them claim
	 */
	public ReceiveRequests receivers(String queue, HandlerPermits permits,
			Supplier<List<? extends DeliveryOwner>> owners, Runnable look) {
		return new ReceiveRequests(queue, this.invocations, permits, owners, look);
	}

	/**
	 * Creates what the deliveries from one partition of a queue share.
	 * @param partitions how many partitions the queue has
	 */
	public DeliveryContext deliveries(String queue, String partition, int partitions) {
		ContainerSettings.QueueSettings each = this.settings.queue(queue);
		RetentionSettings kept = each.retention();
		return new DeliveryContext(queue, partition, this.settings.id(), this.codec,
				new FailurePolicy(this.settings.id(), each.retries(), this.failures), this.deadLetters, this.scheduler,
				new Completions((kept != null) ? kept.share(partitions) : null, this.handlers.converter()), this.stops);
	}

}
