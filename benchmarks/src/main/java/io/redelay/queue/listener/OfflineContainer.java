package io.redelay.queue.listener;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.AckMode;
import io.redelay.queue.UnfitAction;
import io.redelay.queue.listener.deadletter.DeadLetterSettings;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.scheduling.SafetyPoll;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parts of a container that never runs, for measuring what they do by themselves.
 *
 * @since 0.1.0
 */
public final class OfflineContainer {

	private static final String QUEUE = "benchmark";

	private final ContainerSettings settings;

	private final QueueListenerContainer container;

	/**
	 * Creates a container.
	 * @param concurrency how many handlers it has
	 */
	public OfflineContainer(int concurrency) {
		this.settings = new ContainerSettings(QUEUE,
				Map.of(QUEUE, new ContainerSettings.QueueSettings(Duration.ofDays(1), null, 5, RetryBackoff.DEFAULTS,
						List.of(), null, new DeadLetterSettings(1, Duration.ofDays(1), null, null), UnfitAction.BURY)),
				concurrency, concurrency, null, AckMode.AUTO, 1, Duration.ZERO, true, List.of());
		this.container = new QueueListenerContainer(this.settings, (deliveries) -> null, runtime());
	}

	private static ListenerRuntime runtime() {
		JsonMapper mapper = JsonMapper.shared();
		DelayQueueStore store = absent(DelayQueueStore.class);
		return new ListenerRuntime(QUEUE, store, absent(QueueAdminStore.class), new EnvelopeCodec(), mapper,
				absent(ScheduledExecutorService.class), Runnable::run, new WakeUps(store),
				new SafetyPoll(Duration.ofSeconds(5)), ObservationRegistry.NOOP, null, List.of(), null,
				new SuspectAdmission());
	}

	private static <T> T absent(Class<T> type) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				throw new UnsupportedOperationException("'%s' must not be called".formatted(method));
			}));
	}

	Capacity capacity() {
		return this.container.capacity();
	}

	PollLoop loop() {
		return PollLoop.create(QUEUE, this.container, this.container.settings(QUEUE)).get(0);
	}

	/**
	 * Gives a message as a handler is given it.
	 * @param envelope what was sent
	 * @return the delivery, whose envelope has been read
	 */
	public Delivery delivery(byte[] envelope) {
		PollLoop loop = loop();
		Delivery delivery = new Delivery(loop, loop.context(), new ClaimedMessage("uid", 1, 0, 0, false, envelope), 0,
				Instant.now(), System.nanoTime());
		if (!delivery.open()) {
			throw new IllegalStateException("The message may not be handled");
		}
		return delivery;
	}

}
