package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.listener.ListenerRuntime;
import io.redelay.queue.listener.QueueListenerContainer;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;

/**
 * Tells each server every 20 s who this instance is and what it listens to there, for
 * {@link QueueAdmin#consumers}. Does nothing in an application without listeners.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(InstanceAnnouncer.class);

	private static final Duration INTERVAL = Duration.ofSeconds(20);

	private static final Duration TTL = INTERVAL.multipliedBy(3);

	private final QueueListenerEndpointRegistry registry;

	private final Scheduler scheduler;

	private final JsonMapper mapper;

	private final String name;

	private final Instant startedAt = Instant.now();

	private @Nullable ScheduledTask heartbeat;

	/**
	 * Creates an announcer.
	 * @param registry knows the listeners
	 * @param scheduler when to tell it again
	 * @param mapper writes it
	 * @param name what people call it
	 */
	public InstanceAnnouncer(QueueListenerEndpointRegistry registry, Scheduler scheduler, JsonMapper mapper,
			String name) {
		this.registry = registry;
		this.scheduler = scheduler;
		this.mapper = mapper;
		this.name = name;
	}

	@Override
	public synchronized void start() {
		if (this.heartbeat == null && !this.registry.getContainers().isEmpty()) {
			this.heartbeat = this.scheduler.repeat(this::announce, Duration.ZERO, INTERVAL);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.heartbeat != null) {
			this.heartbeat.cancel();
			this.heartbeat = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.heartbeat != null;
	}

	private void announce() {
		this.registry.getContainers()
			.stream()
			.collect(Collectors.groupingBy(QueueListenerContainer::getRuntime))
			.forEach(this::announce);
	}

	private void announce(ListenerRuntime server, List<QueueListenerContainer> containers) {
		try {
			String description = this.mapper.writeValueAsString(new InstanceDescription(this.name, this.startedAt,
					containers.stream()
						.filter(QueueListenerContainer::isRunning)
						.map(InstanceAnnouncer::describe)
						.toList()));
			server.announce(description, TTL).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("The other instances were not told who this one is, which is tried again", failure);
				}
			});
		}
		catch (RuntimeException ex) {
			logger.debug("The other instances were not told who this one is, which is tried again", ex);
		}
	}

	private static InstanceDescription.Listener describe(QueueListenerContainer container) {
		return new InstanceDescription.Listener(container.getId(),
				List.copyOf(container.getSettings().queues().keySet()), container.getSettings().maxConcurrency());
	}

}
