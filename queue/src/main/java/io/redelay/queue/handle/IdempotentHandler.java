package io.redelay.queue.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.failure.ConversionFailure;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.idempotency.IdempotencySettings;
import io.redelay.queue.idempotency.KeyedRun;
import io.redelay.queue.idempotency.RunOnceScript;
import io.redelay.queue.idempotency.RunOwner;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.IdempotencyScope;
import io.redelay.scheduling.AnswerLimit;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * A handler that succeeds once for each idempotency key: it passes on only messages whose
 * key is neither done nor held by another run. Each of these deliveries has a
 * {@link KeyedRun}, which its settlement ends.
 * <p>
 * The thread of the handler waits until Redis has answered; the threads of one listener
 * share a request.
 */
final class IdempotentHandler implements DeliveryHandler {

	private static final Log logger = PlainLog.of(IdempotentHandler.class);

	/**
	 * How long a message waits if its key could not be looked up.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final DeliveryHandler handler;

	private final ContainerSettings settings;

	private final QueueScripts scripts;

	private final Scheduler scheduler;

	private final List<DuplicateListener> listeners;

	/**
	 * The owners by queue, new with each start of the container.
	 */
	private volatile Map<String, RunOwner> owners = Map.of();

	private IdempotentHandler(DeliveryHandler handler, ContainerSettings settings, QueueScripts scripts,
			Scheduler scheduler, List<DuplicateListener> listeners) {
		this.handler = handler;
		this.settings = settings;
		this.scripts = scripts;
		this.scheduler = scheduler;
		this.listeners = listeners;
	}

	/**
	 * Creates such a handler.
	 * @param scripts reach the keys
	 * @param listeners called for duplicates
	 * @return the handler, or {@code null} if no queue of the container has keys
	 */
	static @Nullable IdempotentHandler of(DeliveryHandler handler, ContainerSettings settings, QueueScripts scripts,
			Scheduler scheduler, List<DuplicateListener> listeners) {
		return settings.queues().values().stream().anyMatch((each) -> each.idempotency() != null)
				? new IdempotentHandler(handler, settings, scripts, scheduler, listeners) : null;
	}

	/**
	 * Prepares for messages, when the container starts.
	 */
	void start() {
		Map<String, RunOwner> started = new HashMap<>();
		this.settings.queues().forEach((queue, each) -> {
			IdempotencySettings idempotency = each.idempotency();
			if (idempotency != null) {
				started.put(queue, new RunOwner(this.scripts, "the listener '" + this.settings.id() + "'",
						keySpace(queue, idempotency.scope()), each.leaseTime(), idempotency.window(), this.scheduler));
			}
		});
		this.owners = Map.copyOf(started);
	}

	private static String keySpace(String queue, IdempotencyScope scope) {
		return (scope == IdempotencyScope.TOPIC) ? GroupName.ofTopic(GroupName.topicOf(queue)) : queue;
	}

	/**
	 * Frees the keys of the messages whose handlers still run, because the container
	 * gives these messages back.
	 */
	CompletableFuture<Void> handBack() {
		return CompletableFuture
			.allOf(this.owners.values().stream().map(RunOwner::close).toArray(CompletableFuture[]::new));
	}

	@Override
	public Message<?> message(Delivery delivery) {
		return this.handler.message(delivery);
	}

	@Override
	public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) throws Throwable {
		String queue = deliveries.get(0).queue();
		IdempotencySettings idempotency = this.settings.queue(queue).idempotency();
		RunOwner owner = this.owners.get(queue);
		if (idempotency == null || owner == null) {
			return this.handler.handle(deliveries);
		}
		List<Delivery> begun = begin(deliveries, idempotency, owner);
		return begun.isEmpty() ? null : BatchParts.handlePart(begun, deliveries, this.handler);
	}

	/**
	 * Begins the runs of all deliveries with one request.
	 * @return the deliveries to handle; the others are settled
	 */
	private List<Delivery> begin(List<Delivery> deliveries, IdempotencySettings idempotency, RunOwner owner)
			throws InterruptedException {
		for (Delivery delivery : deliveries) {
			// After the failure of its batch, a delivery has its run already.
			if (delivery.stages().run() == null) {
				prepare(delivery, idempotency, owner, deliveries.size() == 1);
			}
		}
		deliveries.stream()
			.map((delivery) -> delivery.stages().run())
			.filter(Objects::nonNull)
			.forEach(KeyedRun::begin);
		// No run is valid for longer than its lease, so nothing is gained by waiting
		// longer.
		long latest = this.scheduler.nanoTime() + this.settings.queue(deliveries.get(0).queue()).leaseTime().toNanos();
		List<Delivery> begun = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			KeyedRun run = delivery.stages().run();
			if (run != null && isBegun(delivery, run, latest)) {
				begun.add(delivery);
			}
		}
		return begun;
	}

	/**
	 * Creates the run of a delivery, or settles the delivery if it cannot be converted or
	 * has no key.
	 */
	private void prepare(Delivery delivery, IdempotencySettings idempotency, RunOwner owner, boolean alone) {
		try {
			delivery.stages().run(owner.run(key(this.handler.message(delivery), idempotency)));
		}
		catch (RuntimeException ex) {
			PayloadConversionException failure = ConversionFailure
				.exception("It does not fit the listener '" + this.settings.id() + "'", ex);
			if (alone) {
				throw failure;
			}
			delivery.conversionFailed(failure);
		}
	}

	private static String key(Message<?> message, IdempotencySettings idempotency) {
		try {
			return idempotency.key().apply(message);
		}
		catch (RuntimeException ex) {
			throw ConversionFailure.exception("It has no idempotency key", ex);
		}
	}

	private boolean isBegun(Delivery delivery, KeyedRun run, long latest) throws InterruptedException {
		RunOnceScript.Answer answer;
		try {
			answer = AnswerLimit.await(run.begin(), latest - this.scheduler.nanoTime());
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The " + delivery + " is given back: its idempotency key could not be looked up", ex);
			delivery.settlement().postpone(PAUSE);
			return false;
		}
		switch (answer.state()) {
			case DONE -> {
				if (logger.isDebugEnabled()) {
					logger.debug("The " + delivery + " is acknowledged unhandled: one with its key was handled");
				}
				report(delivery, (listener) -> listener.onDuplicate(delivery.info()));
				delivery.settlement().acknowledgeUnhandled(QueueProcessContext.DUPLICATE);
				return false;
			}
			case RUNNING -> {
				Duration delay = answer.lookAgain();
				if (logger.isDebugEnabled()) {
					logger.debug(
							"The " + delivery + " is given back for " + delay + ": one with its key is being handled");
				}
				report(delivery, (listener) -> listener.onPostponed(delivery.info(), delay));
				delivery.settlement().postpone(delay);
				return false;
			}
			default -> {
				if (!run.isValid()) {
					// The answer took longer than the lease, or the message has ended
					// meanwhile: another run may have the key by now.
					delivery.settlement().postpone(Duration.ZERO);
					return false;
				}
				return true;
			}
		}
	}

	private void report(Delivery delivery, Consumer<DuplicateListener> call) {
		for (DuplicateListener listener : this.listeners) {
			try {
				call.accept(listener);
			}
			catch (Throwable ex) {
				FailureText.warn(logger, "A DuplicateListener of the type " + listener.getClass().getName()
						+ " failed, which changes nothing for the " + delivery, ex);
			}
		}
	}

}
