package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.ReceiveRequests;
import org.jspecify.annotations.Nullable;

/**
 * Claims the messages of one queue that receivers wait for, on the loops of a
 * {@link QueueListenerContainer}. It stops by itself when for a safety poll interval no
 * receiver has waited for a message or has had one in hand.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class PullContainer {

	/**
	 * How many messages are received and not settled at most.
	 */
	public static final int MAX_UNSETTLED = 1000;

	private static final Duration STOP = Duration.ofSeconds(5);

	private final QueueListenerContainer container;

	private final ReceiveRequests line;

	private final ListenerRuntime runtime;

	private final Consumer<PullContainer> whenIdle;

	/**
	 * Whether it was used since the last idle check.
	 */
	private final AtomicBoolean used = new AtomicBoolean(true);

	/**
	 * Creates a container and starts it.
	 * @param settings its settings, for one queue
	 * @param runtime the parts shared with other containers
	 * @param whenIdle called with this container when it stops by itself
	 */
	public PullContainer(ContainerSettings settings, ListenerRuntime runtime, Consumer<PullContainer> whenIdle) {
		this.container = new QueueListenerContainer(settings, (deliveries) -> null, runtime,
				(handling, permits, loops) -> handling.receivers(settings.queues().keySet().iterator().next(), permits,
						() -> loops.get().stream().map(PollLoop::deliveries).toList(),
						() -> loops.get().forEach(PollLoop::look)));
		this.runtime = runtime;
		this.whenIdle = whenIdle;
		this.container.start();
		this.line = (ReceiveRequests) this.container.dispatcher();
		lookLater();
	}

	/**
	 * Receives messages.
	 * @param <R> the type that a message is received as
	 * @param max how many at most
	 * @param wait how long to wait for the first; zero to look once
	 * @param converter converts a message to the received object
	 * @return a future of the received messages, or {@code null} if this container has
	 * stopped
	 */
	public <R> @Nullable CompletableFuture<List<R>> receive(int max, Duration wait, Function<Delivery, R> converter) {
		this.used.set(true);
		return this.line.receive(max, wait, converter);
	}

	private void lookLater() {
		this.runtime.claims().scheduler().schedule(this::look, this.runtime.claims().signals().safetyPoll().interval());
	}

	private void look() {
		if (!this.container.isRunning()) {
			return;
		}
		if (this.used.getAndSet(false) || !this.line.closeIfIdle()) {
			lookLater();
			return;
		}
		this.whenIdle.accept(this);
		this.container.stop(STOP);
	}

	/**
	 * Fails all waiting requests, and stops.
	 * @param limit how long to wait until the received messages are settled; the others
	 * are then given back
	 * @return a future that completes when it has stopped
	 */
	public CompletableFuture<Void> stop(Duration limit) {
		this.line.close();
		return this.container.stop(limit);
	}

}
