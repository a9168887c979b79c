package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.ListenerContainerIdleEvent;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Publishes an event when a running container has got no message for some time, and holds
 * none. Publishes no other one until the container gets a message again. Sends nothing to
 * Redis.
 *
 * @since 0.1.0
 */
public final class ContainerIdleWatch implements SmartLifecycle {

	private static final Log logger = PlainLog.of(ContainerIdleWatch.class);

	private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(5);

	private final Supplier<Collection<QueueListenerContainer>> containers;

	private final Duration idleAfter;

	private final ApplicationEventPublisher publisher;

	private final Scheduler scheduler;

	/**
	 * When each container was last seen to hold messages, by the scheduler's clock.
	 */
	private final Map<QueueListenerContainer, Long> busy = new WeakHashMap<>();

	private final Set<QueueListenerContainer> reported = new HashSet<>();

	private @Nullable ScheduledTask regular;

	/**
	 * Creates a watch.
	 * @param containers the containers of the instance
	 * @param idleAfter how long a container is without messages before the event
	 * @param publisher publishes the events
	 * @param scheduler schedules the checks, and has threads on which listeners may block
	 */
	public ContainerIdleWatch(Supplier<Collection<QueueListenerContainer>> containers, Duration idleAfter,
			ApplicationEventPublisher publisher, Scheduler scheduler) {
		this.containers = containers;
		this.idleAfter = idleAfter;
		this.publisher = publisher;
		this.scheduler = scheduler;
	}

	@Override
	public synchronized void start() {
		if (this.regular == null) {
			Duration quarter = this.idleAfter.dividedBy(4);
			Duration interval = (quarter.compareTo(LONGEST_INTERVAL) < 0) ? quarter : LONGEST_INTERVAL;
			this.regular = this.scheduler.repeat(this::look, interval, interval);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.regular != null) {
			this.regular.cancel();
			this.regular = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.regular != null;
	}

	private synchronized void look() {
		Collection<QueueListenerContainer> present = this.containers.get();
		this.reported.retainAll(Set.copyOf(present));
		present.forEach(this::look);
	}

	private void look(QueueListenerContainer container) {
		long now = this.scheduler.nanoTime();
		if (container.getHeld() > 0) {
			this.busy.put(container, now);
		}
		Long lastGiven = container.lastGivenNanos();
		long idle = (lastGiven != null) ? Math.min(now - lastGiven, now - this.busy.getOrDefault(container, lastGiven))
				: 0;
		if (idle < this.idleAfter.toNanos()) {
			this.reported.remove(container);
		}
		else if (this.reported.add(container)) {
			report(container, Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(idle)));
		}
	}

	private void report(QueueListenerContainer container, Duration idle) {
		ListenerContainerIdleEvent event = new ListenerContainerIdleEvent(container.getId(),
				List.copyOf(container.getSettings().queues().keySet()), idle, container.isPaused());
		this.scheduler.execute(() -> publish(event));
	}

	private void publish(ListenerContainerIdleEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener to ListenerContainerIdleEvent failed, which changes nothing for the listener '"
					+ event.listener() + "'", ex);
		}
	}

}
